#pragma once

#include <cstddef>

namespace proa {

// Releases memory that only start-up needed: free memory held by the allocator, and mapped pages of
// code and constants. Pages that are used again are read back from the page cache, at the cost of a
// minor fault each. Returns an upper bound of the released bytes of code and constants.
size_t release_unused_memory();

}  // namespace proa
