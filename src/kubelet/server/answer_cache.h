#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa::kubelet {

// Answers of the API server that hold for a while. From any thread.
template <typename Answer>
class AnswerCache {
 public:
  // More are not kept: whoever asks so much would only use up memory.
  static constexpr size_t kMost = 8192;

  // The clock outlives it.
  explicit AnswerCache(const Clock& clock) : clock_(clock) {}

  std::optional<Answer> find(const std::string& question) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = answers_.find(question);
    if (found == answers_.end() || found->second.until <= clock_.steady()) return std::nullopt;
    return found->second.answer;
  }

  void keep(const std::string& question, Answer answer, Duration lifetime) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const Steady now = clock_.steady();
    if (answers_.size() >= kMost) {
      std::erase_if(answers_, [&](const auto& entry) { return entry.second.until <= now; });
    }
    if (answers_.size() >= kMost) answers_.clear();
    answers_.insert_or_assign(question, Slot{std::move(answer), now + lifetime});
  }

 private:
  struct Slot {
    Answer answer;
    Steady until;
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, Slot> answers_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
