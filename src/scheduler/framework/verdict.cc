#include "scheduler/framework/verdict.h"

namespace proa::scheduler {

Verdict ReasonBook::say(Code code, Verdict::Reasons reasons) {
  std::string key;
  for (const std::string& reason : reasons) key.append(reason).push_back('\0');
  const auto [found, added] = known_.try_emplace(std::move(key), std::move(reasons));
  return {.code = code, .reasons = &found->second};
}

}  // namespace proa::scheduler
