#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "http/wire/message.h"

namespace proa::http {

// gRPC's status codes.
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

// A Status that keeps the code among its causes. REQUIRES: not kOk.
Status grpc_status(GrpcCode code, std::string_view message);
// The code stored by grpc_status; for other failures, the equivalent one.
GrpcCode grpc_code(const Status& status);

// The failure of a completed response; nullopt on success. Without a grpc-status (a proxy answered,
// for example) the HTTP status code decides.
std::optional<Status> grpc_failure(const ResponseHead& head, const Headers& trailers);

// For the grpc-timeout field: at most eight digits and a unit, never shorter than `left`.
std::string print_grpc_timeout(Duration left);
// grpc-message is percent-encoded; malformed text is returned unchanged.
std::string decode_grpc_message(std::string_view text);

}  // namespace proa::http
