#include "testkit/linearizability.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace proa::testkit {
namespace linearizability {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// The state after the operation; nullopt if it contradicts the result.
std::optional<int64_t> step(const RegisterOperation& operation, int64_t state) {
  const bool told = operation.returned.has_value();
  if (operation.kind == RegisterOperation::Kind::kRead) {
    if (told && operation.found != state) return std::nullopt;
    return state;
  }
  const bool succeeds = state == operation.expected;
  if (told && succeeds == operation.found.has_value()) return std::nullopt;
  if (told && !succeeds && operation.found != state) return std::nullopt;
  return succeeds ? operation.value : state;
}

class Search {
 public:
  explicit Search(const std::vector<RegisterOperation>& operations)
      : operations_(operations), done_(operations.size(), false) {}

  bool succeeds() {
    struct Choice {
      size_t operation;
      int64_t state_before;
    };
    std::vector<Choice> path;
    int64_t state = 0;
    size_t candidate = 0;
    while (true) {
      if (all_told_done()) return true;
      const std::optional<size_t> next = take(candidate, state);
      if (next) {
        path.push_back({*next, state});
        state = *step(operations_[*next], state);
        candidate = 0;
        continue;
      }
      if (path.empty()) return false;
      done_[path.back().operation] = false;
      state = path.back().state_before;
      candidate = path.back().operation + 1;
      path.pop_back();
    }
  }

 private:
  // Operations without a response may never have taken effect.
  bool all_told_done() const {
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (!done_[i] && operations_[i].returned) return false;
    }
    return true;
  }

  // The first operation from `candidate` on that can come next and leads to a new state.
  std::optional<size_t> take(size_t candidate, int64_t state) {
    // Nothing may come before an operation that returned before it was called.
    int64_t first_return = kNever;
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (!done_[i])
        first_return = std::min(first_return, operations_[i].returned.value_or(kNever));
    }
    for (size_t i = candidate; i < operations_.size(); ++i) {
      if (operations_[i].called > first_return) break;
      if (done_[i]) continue;
      const std::optional<int64_t> after = step(operations_[i], state);
      if (!after) continue;
      done_[i] = true;
      if (seen_.emplace(done_, *after).second) return i;
      done_[i] = false;
    }
    return std::nullopt;
  }

  const std::vector<RegisterOperation>& operations_;  // ordered by their calls
  std::vector<bool> done_;
  std::set<std::pair<std::vector<bool>, int64_t>> seen_;
};

}  // namespace linearizability

std::optional<std::string> find_violation(std::vector<RegisterOperation> history) {
  std::sort(history.begin(), history.end(),
            [](const auto& a, const auto& b) { return a.called < b.called; });
  std::map<std::string, std::vector<RegisterOperation>> by_key;
  for (RegisterOperation& operation : history) {
    const std::string key = operation.key;
    by_key[key].push_back(std::move(operation));
  }
  for (const auto& [key, operations] : by_key) {
    if (linearizability::Search(operations).succeeds()) continue;
    return "no order explains the " + std::to_string(operations.size()) + " operations on " + key;
  }
  return std::nullopt;
}

}  // namespace proa::testkit
