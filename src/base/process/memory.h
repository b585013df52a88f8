#pragma once

#include <cstddef>

namespace proa {

// Releases memory that only start-up needed: free memory held by the allocator, and mapped pages of
// code and constants. Pages that are used again are read back from the page cache, at the cost of a
// minor fault each. Returns an upper bound of the released bytes of code and constants.
size_t release_unused_memory();

// From now on free memory goes back to the system within seconds, by a thread that sleeps unless
// there is some. Otherwise only a process that keeps allocating gives memory back: one that rests
// after a burst would keep it. In a process that may use little memory (`memory` bytes) it goes
// back at once: what bursts leave behind must not add up. Threads do not survive a fork: call this
// after the last one.
void release_memory_continuously(size_t memory);

}  // namespace proa
