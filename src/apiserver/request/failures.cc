#include "apiserver/request/failures.h"

namespace proa::apiserver {

Status no_such_resource() {
  return {Reason::kNotFound, "the server could not find the requested resource"};
}

Status method_not_allowed() {
  return {Reason::kMethodNotAllowed,
          "the server does not allow this method on the requested resource"};
}

Result<void> check_time(const Until& until, const Clock& clock) {
  if (!until.stop.stop_requested() && clock.steady() < until.deadline) return {};
  return Status(Reason::kTimeout, "Timeout: request did not complete within the allotted timeout");
}

}  // namespace proa::apiserver
