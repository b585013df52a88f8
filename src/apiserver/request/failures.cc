#include "apiserver/request/failures.h"

#include <fmt/format.h>

#include <array>

#include "api/validation/go_text.h"
#include "base/cost/budget.h"
#include "base/strings.h"

namespace proa::apiserver {

namespace failures {

// Upstream's generic failures have details, though they are empty.
Status generic(Reason reason, std::string message) {
  StatusDetails details;
  details.shown_if_empty = true;
  return Status(reason, std::move(message)).with_details(std::move(details));
}

struct Known {
  int code = 0;
  Reason reason = Reason::kUnknown;
  std::string_view message = {};  // empty: what the server said
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

}  // namespace failures

Status no_such_resource() {
  return failures::generic(Reason::kNotFound, "the server could not find the requested resource");
}

Status method_not_allowed() {
  return failures::generic(Reason::kMethodNotAllowed,
                           "the server does not allow this method on the requested resource");
}

Status not_acceptable(std::span<const std::string_view> produced) {
  return failures::generic(
      Reason::kNotAcceptable,
      "406: Not Acceptable\n\nAvailable representations: " + join(produced, ", "));
}

Status unsupported_media_type() {
  return failures::generic(Reason::kUnsupportedMediaType, "415: Unsupported Media Type");
}

Status internal_error(const std::string& why) {
  StatusDetails details;
  details.causes.push_back({.reason = "", .message = why, .field = ""});
  return Status(Reason::kInternalError, "Internal error occurred: " + why)
      .with_details(std::move(details));
}

Status remote_failure(int code, const std::string& body) {
  const failures::Known known = failures::meaning_of(code);
  return {known.reason, code, failures::message_of(known, body)};
}

Result<void> check_time(const Until& until, const Clock& clock) {
  if (!until.stop.stop_requested() && clock.steady() < until.deadline) return {};
  return Budget::timeout();
}

}  // namespace proa::apiserver
