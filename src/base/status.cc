#include "base/status.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace proa {
namespace status {

struct Row {
  Reason reason;
  std::string_view name;
  int code;
};

constexpr std::array kRows{
    Row{Reason::kUnknown, "", 500},
    Row{Reason::kUnauthorized, "Unauthorized", 401},
    Row{Reason::kForbidden, "Forbidden", 403},
    Row{Reason::kNotFound, "NotFound", 404},
    Row{Reason::kAlreadyExists, "AlreadyExists", 409},
    Row{Reason::kConflict, "Conflict", 409},
    Row{Reason::kGone, "Gone", 410},
    Row{Reason::kInvalid, "Invalid", 422},
    Row{Reason::kServerTimeout, "ServerTimeout", 500},
    Row{Reason::kTimeout, "Timeout", 504},
    Row{Reason::kTooManyRequests, "TooManyRequests", 429},
    Row{Reason::kBadRequest, "BadRequest", 400},
    Row{Reason::kMethodNotAllowed, "MethodNotAllowed", 405},
    Row{Reason::kNotAcceptable, "NotAcceptable", 406},
    Row{Reason::kRequestEntityTooLarge, "RequestEntityTooLarge", 413},
    Row{Reason::kUnsupportedMediaType, "UnsupportedMediaType", 415},
    Row{Reason::kInternalError, "InternalError", 500},
    Row{Reason::kExpired, "Expired", 410},
    Row{Reason::kServiceUnavailable, "ServiceUnavailable", 503},
    // Not a reason of upstream, whose etcd has an error of its own for this.
    Row{Reason::kInsufficientStorage, "InsufficientStorage", 507},
};

const Row& row(Reason reason) { return kRows[static_cast<size_t>(reason)]; }

}  // namespace status

std::string_view reason_name(Reason reason) { return status::row(reason).name; }

Reason reason_from_name(std::string_view name) {
  for (const auto& row : status::kRows) {
    if (row.name == name) return row.reason;
  }
  return Reason::kUnknown;
}

int http_code(Reason reason) { return status::row(reason).code; }

Status::Status(Reason reason, int code, std::string message)
    : data_(std::make_shared<const Data>(Data{reason, code, std::move(message), {}})) {}

Status Status::with_details(StatusDetails details) const {
  Status copy = *this;
  Data data = *data_;
  data.details = std::move(details);
  copy.data_ = std::make_shared<const Data>(std::move(data));
  return copy;
}

Status Status::in(std::string_view context) const {
  Status copy = *this;
  Data data = *data_;
  data.message = std::string(context) + ": " + data.message;
  copy.data_ = std::make_shared<const Data>(std::move(data));
  return copy;
}

Status errno_status(std::string_view what, int error) {
  std::array<char, 128> buffer{};
  const char* words = ::strerror_r(error, buffer.data(), buffer.size());
  const bool full = error == ENOSPC || error == EDQUOT;
  return {full ? Reason::kInsufficientStorage : Reason::kInternalError,
          std::string(what) + ": " + words};
}

}  // namespace proa
