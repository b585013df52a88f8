#include "client/status_json.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "json/parse.h"

namespace proa::client {
namespace status_json {

struct CodeReason {
  int code;
  Reason reason;
};

constexpr std::array kReasons = {
    CodeReason{400, Reason::kBadRequest},
    CodeReason{401, Reason::kUnauthorized},
    CodeReason{403, Reason::kForbidden},
    CodeReason{404, Reason::kNotFound},
    CodeReason{405, Reason::kMethodNotAllowed},
    CodeReason{406, Reason::kNotAcceptable},
    CodeReason{409, Reason::kConflict},
    CodeReason{410, Reason::kGone},
    CodeReason{413, Reason::kRequestEntityTooLarge},
    CodeReason{415, Reason::kUnsupportedMediaType},
    CodeReason{422, Reason::kInvalid},
    CodeReason{429, Reason::kTooManyRequests},
    CodeReason{500, Reason::kInternalError},
    CodeReason{503, Reason::kServiceUnavailable},
    CodeReason{504, Reason::kTimeout},
};

Reason reason_of(int code) {
  for (const CodeReason& row : kReasons) {
    if (row.code == code) return row.reason;
  }
  return Reason::kUnknown;
}

// Enough of a foreign response to identify its sender.
constexpr size_t kMaxWords = 512;
// A longer Retry-After is not worth waiting for; also prevents overflow.
constexpr int64_t kMaxSeconds = 3600;

StatusDetails details_of(api::View status) {
  const api::View from = status["details"];
  StatusDetails details{.name = std::string(from["name"].text()),
                        .group = std::string(from["group"].text()),
                        .kind = std::string(from["kind"].text()),
                        .uid = std::string(from["uid"].text()),
                        .causes = {},
                        .retry_after_seconds = 0,
                        .continue_token = std::string(status["metadata"]["continue"].text())};
  for (const api::View cause : from["causes"].items()) {
    details.causes.push_back({std::string(cause["reason"].text()),
                              std::string(cause["message"].text()),
                              std::string(cause["field"].text())});
  }
  details.retry_after_seconds =
      static_cast<int>(std::clamp<int64_t>(from["retryAfterSeconds"].integer(), 0, kMaxSeconds));
  return details;
}

}  // namespace status_json

int retry_after_seconds(std::string_view field) {
  const std::optional<uint64_t> seconds = parse_uint(trim(field));
  return static_cast<int>(
      std::min<uint64_t>(seconds.value_or(0), uint64_t{status_json::kMaxSeconds}));
}

Status status_from(api::View status, int code) {
  const int64_t stated = status["code"].integer();
  if (stated >= 400 && stated < 600) code = static_cast<int>(stated);
  Reason reason = reason_from_name(status["reason"].text());
  if (reason == Reason::kUnknown) reason = status_json::reason_of(code);
  if (code == 0) code = http_code(reason);
  return Status(reason, code, std::string(status["message"].text()))
      .with_details(status_json::details_of(status));
}

Status status_from_answer(int code, std::string_view body, std::string_view retry_after) {
  const int seconds = retry_after_seconds(retry_after);
  const Result<json::Document> document = json::parse(body);
  if (document) {
    const api::View status = document->root();
    if (status["kind"].text() == "Status" && status["status"].text() == "Failure") {
      Status failure = status_from(status, code);
      if (seconds == 0 || failure.details().retry_after_seconds != 0) return failure;
      StatusDetails details = failure.details();
      details.retry_after_seconds = seconds;
      return failure.with_details(std::move(details));
    }
  }
  std::string message = "the server answered with code " + std::to_string(code);
  const std::string_view words = trim(body);
  if (!words.empty()) message.append(": ").append(words.substr(0, status_json::kMaxWords));
  StatusDetails details;
  details.retry_after_seconds = seconds;
  return Status(status_json::reason_of(code), code, std::move(message))
      .with_details(std::move(details));
}

}  // namespace proa::client
