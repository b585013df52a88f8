#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "http/wire/message.h"

namespace proa::http {

// How a gRPC call ended, in gRPC's own numbers.
enum class GrpcCode : uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// The failure as a Status, which keeps the code among its causes. REQUIRES: not kOk.
Status grpc_status(GrpcCode code, std::string_view message);
// The code that grpc_status put in; for other failures the one that means the same.
GrpcCode grpc_code(const Status& status);

// How an answer that is complete says that its call ended; nothing when it ended well. Without a
// grpc-status (a proxy answered, say) the HTTP status code decides.
std::optional<Status> grpc_failure(const ResponseHead& head, const Headers& trailers);

// For the grpc-timeout field: at most eight digits and a unit, never shorter than `left`.
std::string print_grpc_timeout(Duration left);
// grpc-message is percent-encoded; what is not well encoded stays as it is.
std::string decode_grpc_message(std::string_view text);

}  // namespace proa::http
