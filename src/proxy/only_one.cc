#include "proxy/only_one.h"

namespace proa::proxy {

Result<OnlyOne> OnlyOne::take() {
  std::optional<NamespaceClaim> claim = TRY(NamespaceClaim::take("proa-proxy"));
  if (claim) return OnlyOne(std::move(*claim));
  return Status(Reason::kConflict, "another service proxy of Proa runs on this machine");
}

}  // namespace proa::proxy
