#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace proa::scheduler {

enum class Code : uint8_t {
  kSuccess,
  kUnschedulable,  // not now: it may help to take other pods away
  kUnresolvable,   // not now, and taking pods away would not help
  kError,          // it could not be found out
  kPending,        // somebody else has to do something first
};

// What a plugin says of a node, or of a pod. Small, and free to copy: the reasons belong to the
// plugin that gave them.
struct Verdict {
  using Reasons = std::vector<std::string>;

  Code code = Code::kSuccess;
  const Reasons* reasons = nullptr;  // null: none

  bool ok() const { return code == Code::kSuccess; }
  bool operator==(const Verdict&) const = default;
};

// Where reasons live: each is kept once, however many nodes it holds for, and for as long as the
// plugin. For one thread.
class ReasonBook {
 public:
  Verdict say(Code code, std::string_view reason) {
    return say(code, Verdict::Reasons{std::string(reason)});
  }
  Verdict say(Code code, Verdict::Reasons reasons);

 private:
  // By their text; a node of such a map stays where it is.
  std::unordered_map<std::string, Verdict::Reasons> known_;
};

}  // namespace proa::scheduler
