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
  kUnschedulable,  // may fit after evicting other pods
  kUnresolvable,   // evicting pods does not help
  kError,          // the evaluation failed
  kPending,        // waits for something outside of the scheduler
};

// The result of a plugin for a node or a pod (upstream's Status). Small and cheap to copy: the
// reasons are owned by the plugin.
struct Verdict {
  using Reasons = std::vector<std::string>;

  Code code = Code::kSuccess;
  const Reasons* reasons = nullptr;  // null: none

  bool ok() const { return code == Code::kSuccess; }
  bool operator==(const Verdict&) const = default;
};

// Owns the reasons of a plugin. Each is stored once, however many nodes have it. For one thread.
class ReasonBook {
 public:
  Verdict say(Code code, std::string_view reason) {
    return say(code, Verdict::Reasons{std::string(reason)});
  }
  Verdict say(Code code, Verdict::Reasons reasons);

 private:
  // By text; addresses are stable.
  std::unordered_map<std::string, Verdict::Reasons> known_;
};

}  // namespace proa::scheduler
