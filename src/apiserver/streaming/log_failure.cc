#include "apiserver/streaming/log_failure.h"

#include <fmt/format.h>

#include "apiserver/request/failures.h"

namespace proa::apiserver {
namespace log_failures {

bool redirects(const http::Response& answer) {
  return answer.status >= 300 && answer.status < 400 && answer.headers.has("location");
}

}  // namespace log_failures

Status log_failure(const http::Response& answer, std::string_view url, std::string_view pod) {
  using namespace log_failures;
  const std::string body = answer.body.str();
  if (redirects(answer)) {
    return {Reason::kUnknown, fmt::format("Get \"{}\": redirects forbidden", url)};
  }
  if (answer.status == 400) return {Reason::kBadRequest, body};
  if (answer.status == 500) return internal_error(body);
  StatusDetails details;
  details.kind = "pods/log";
  details.name = pod;
  const Status why = remote_failure(answer.status, body);
  return Status(why.reason(), why.code(), fmt::format("{} ( pods/log {})", why.message(), pod))
      .with_details(std::move(details));
}

}  // namespace proa::apiserver
