Object.prototype.isCalledEarly = true; Object.prototype.getters = {}; Object.prototype.name = "x"; Object.prototype.parent = 5; Object.prototype.children = 7;
Function.prototype.apply = () => { console.log("stolen"); }; Array.prototype.push = () => console.log("push");
