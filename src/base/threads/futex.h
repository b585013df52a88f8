#pragma once

#include <atomic>

namespace proa {

// Waits for a word to change without the spinning and yielding that std::atomic::wait starts with:
// if many threads wait for one that works, that takes the cores away from it.

// Returns when woken, at once if the word differs from `expected`, and sometimes spuriously: the
// caller checks again.
void futex_wait(const std::atomic<int>& word, int expected);
// Wakes one waiter, if there is any. The word may be gone already: at worst another waiter wakes
// spuriously.
void futex_wake_one(const std::atomic<int>& word);

}  // namespace proa
