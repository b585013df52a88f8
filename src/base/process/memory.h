#pragma once

#include <cstddef>

namespace proa {

// Gives back what only the start needed: free memory that the allocator still holds, and pages of
// code and constants that were mapped in. What is used again comes back from the page cache, page
// by page, at the price of a minor fault. How many bytes of code and constants were let go, at
// most.
size_t release_unused_memory();

}  // namespace proa
