#include "apiserver/streaming/log_failure.h"

#include <fmt/format.h>

#include <array>

#include "api/validation/go_text.h"

namespace proa::apiserver {
namespace log_failures {

struct Known {
  int code = 0;
  Reason reason = Reason::kUnknown;
  std::string_view message = {};  // empty: the kubelet's message
};

constexpr std::array<Known, 11> kKnown = {{
    {401, Reason::kUnauthorized, "the server has asked for the client to provide credentials"},
    {403, Reason::kForbidden, ""},
    {404, Reason::kNotFound, "the server could not find the requested resource"},
    {405, Reason::kMethodNotAllowed,
     "the server does not allow this method on the requested resource"},
    {406, Reason::kNotAcceptable, ""},
    {409, Reason::kConflict, "the server reported a conflict"},
    {415, Reason::kUnsupportedMediaType, ""},
    {422, Reason::kInvalid, "the server rejected our request due to an error in our request"},
    {429, Reason::kTooManyRequests,
     "the server has received too many requests and has asked us to try again later"},
    {503, Reason::kServiceUnavailable, "the server is currently unable to handle the request"},
    {504, Reason::kTimeout,
     "the server was unable to return a response in the time allotted, but may still be processing "
     "the request"},
}};

Known meaning_of(int code) {
  for (const Known& known : kKnown) {
    if (known.code == code) return known;
  }
  return {.code = code, .reason = code >= 500 ? Reason::kInternalError : Reason::kUnknown};
}

std::string message_of(const Known& known, const std::string& body) {
  if (!known.message.empty()) return std::string(known.message);
  if (known.code == 403 || known.code == 406 || known.code == 415) return body;
  if (known.code >= 500) {
    return fmt::format("an error on the server ({}) has prevented the request from succeeding",
                       api::quoted(body));
  }
  return fmt::format(
      "the server responded with the status code {} but did not return more information",
      known.code);
}

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
  StatusDetails details;
  if (answer.status == 500) {
    details.causes = {{.reason = {}, .message = body, .field = {}}};
    return Status(Reason::kInternalError, "Internal error occurred: " + body)
        .with_details(std::move(details));
  }
  details.kind = "pods/log";
  details.name = pod;
  const Known known = meaning_of(answer.status);
  return Status(known.reason, known.code,
                fmt::format("{} ( pods/log {})", message_of(known, body), pod))
      .with_details(std::move(details));
}

}  // namespace proa::apiserver
