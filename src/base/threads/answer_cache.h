#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "base/threads/mutex.h"

namespace proa {

// A cache of answers from another server, each kept for a while; the least recently used are
// evicted first. Concurrent requests for the same key share one question: a hundred clients that
// start at once with the same token cause a single call. Thread-safe.
template <typename Answer>
class AnswerCache {
 public:
  struct Asked {
    Result<Answer> answer;
    Duration keep{0};  // zero: not cached; failures never are
  };

  // REQUIRES: `most` is not zero.
  AnswerCache(const Clock& clock, size_t most) : clock_(clock), most_(most) {}

  // The cached answer. With `grace`: also one that expired at most so long ago.
  std::optional<Answer> find(const std::string& key, Duration grace = Duration(0))
      EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return look_up(key, grace);
  }

  // The cached answer, or else the result of `ask`: a function without arguments that returns an
  // Asked and does not block forever.
  template <typename Ask>
  Result<Answer> get(const std::string& key, Ask ask) EXCLUDES(mutex_) {
    std::shared_ptr<Question> question;
    {
      MutexLock lock(mutex_);
      if (std::optional<Answer> known = look_up(key, Duration(0))) return std::move(*known);
      std::shared_ptr<Question>& place = questions_[key];
      if (place != nullptr) {
        const std::shared_ptr<Question> asked = place;
        while (!asked->answer) answered_.wait(mutex_);
        return *asked->answer;
      }
      place = std::make_shared<Question>();
      question = place;
    }
    Asked asked = ask();
    MutexLock lock(mutex_);
    question->answer = asked.answer;
    questions_.erase(key);
    if (asked.answer.ok() && asked.keep > Duration(0)) keep(key, *asked.answer, asked.keep);
    answered_.notify_all();
    return std::move(asked.answer);
  }

  size_t size() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::string key;
    Answer answer;
    Steady until;
  };
  struct Question {
    std::optional<Result<Answer>> answer;
  };

  std::optional<Answer> look_up(const std::string& key, Duration grace) REQUIRES(mutex_) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    if (clock_.steady() - found->second->until > grace) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->answer;
  }

  void keep(const std::string& key, const Answer& answer, Duration how_long) REQUIRES(mutex_) {
    const Steady until = clock_.steady() + how_long;
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      found->second->answer = answer;
      found->second->until = until;
      entries_.splice(entries_.begin(), entries_, found->second);
      return;
    }
    if (entries_.size() >= most_) {
      by_key_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, answer, until});
    by_key_.emplace(key, entries_.begin());
  }

  const Clock& clock_;
  const size_t most_;
  mutable Mutex mutex_;
  CondVar answered_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> by_key_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::shared_ptr<Question>> questions_ GUARDED_BY(mutex_);
};

}  // namespace proa
