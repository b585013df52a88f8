#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

// Why a request failed, in the words of the Kubernetes API (metav1.StatusReason). Code switches on
// it.
enum class Reason : uint8_t {
  kUnknown,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kGone,
  kInvalid,
  kServerTimeout,
  kTimeout,
  kTooManyRequests,
  kBadRequest,
  kMethodNotAllowed,
  kNotAcceptable,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInternalError,
  kExpired,
  kServiceUnavailable,
  kInsufficientStorage,
};

// The word on the wire ("NotFound"); empty for kUnknown.
std::string_view reason_name(Reason reason);
Reason reason_from_name(std::string_view name);
// The HTTP code that upstream answers with for this reason; 500 for kUnknown.
int http_code(Reason reason);

// One cause of a failure (metav1.StatusCause).
struct StatusCause {
  std::string reason;   // "FieldValueInvalid"
  std::string message;  // what is wrong
  std::string field;    // where: "spec.containers[0].name"

  bool operator==(const StatusCause&) const = default;
};

// What the failure is about (metav1.StatusDetails).
struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;
  std::string continue_token;   // to continue a list that failed (metav1.ListMeta)
  bool shown_if_empty = false;  // upstream's generic failures have empty details

  bool operator==(const StatusDetails&) const = default;
};

// A failure as the Kubernetes API states it. It has no "success" value: that is what Result is for.
class [[nodiscard]] Status {
 public:
  Status(Reason reason, std::string message)
      : Status(reason, http_code(reason), std::move(message)) {}
  Status(Reason reason, int code, std::string message);

  Reason reason() const { return data_->reason; }
  int code() const { return data_->code; }
  const std::string& message() const { return data_->message; }
  const StatusDetails& details() const { return data_->details; }
  bool is(Reason reason) const { return data_->reason == reason; }

  // The same failure with these details.
  Status with_details(StatusDetails details) const;
  // The same failure with a context in front: "reading /etc/x: permission denied".
  Status in(std::string_view context) const;

  bool operator==(const Status& other) const { return *data_ == *other.data_; }

 private:
  struct Data {
    Reason reason;
    int code;
    std::string message;
    StatusDetails details;
    bool operator==(const Data&) const = default;
  };
  // Shared, so that a Result<int> stays two words and copying a failure is cheap.
  std::shared_ptr<const Data> data_;
};

// A failed system call: strerror's message, as kInsufficientStorage if a disk or quota is full,
// else as an internal error.
Status errno_status(std::string_view what, int error);

}  // namespace proa
