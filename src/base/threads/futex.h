#pragma once

#include <atomic>

namespace proa {

// Waiting for a word to change, without the spinning and yielding that std::atomic::wait begins
// with: where many threads wait for the one that works, that takes the cores away from it.

// Returns when it was woken, and at once when the word is another than `expected`; now and then
// also without a reason, so the caller looks again.
void futex_wait(const std::atomic<int>& word, int expected);
// Wakes one who waits, if anybody does. The word may be gone already: then at most somebody else is
// woken without a reason.
void futex_wake_one(const std::atomic<int>& word);

}  // namespace proa
