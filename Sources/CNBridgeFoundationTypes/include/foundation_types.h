// SPDX-License-Identifier: MIT
//
// The identities of Foundation's Date and Data, without linking Foundation: a plugin that uses neither should
// not carry (and relocate, at each start) its seven megabytes. Weak references, which Swift can't make.

#ifndef FOUNDATION_TYPES_H
#define FOUNDATION_TYPES_H

/// The metadata of `FoundationEssentials.Date`, as `Date.self` is in memory; NULL where it is not linked.
const void *_Nullable nbridge_date_type(void);

/// The same of `FoundationEssentials.Data`.
const void *_Nullable nbridge_data_type(void);

#endif
