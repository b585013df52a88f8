#include "apiserver/request/failures.h"

namespace proa::apiserver {

Status no_such_resource() {
  return {Reason::kNotFound, "the server could not find the requested resource"};
}

Status method_not_allowed() {
  return {Reason::kMethodNotAllowed,
          "the server does not allow this method on the requested resource"};
}

Status too_many_requests() {
  StatusDetails details;
  details.retry_after_seconds = 1;
  return Status(Reason::kTooManyRequests,
                "The server has received too many requests and has asked us to try again later")
      .with_details(std::move(details));
}

}  // namespace proa::apiserver
