console.log("deferred", document.readyState, document.querySelectorAll("p").length, document.currentScript?.defer);
