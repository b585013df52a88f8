#include "kubelet/runtime/cri/failure_text.h"

#include <fmt/format.h>

#include <array>

#include "http/client/grpc_status.h"

namespace proa::kubelet::cri {
namespace failure_texts {

// As Go's gRPC prints codes, by number.
constexpr std::array<std::string_view, 17> kCodes{
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

}  // namespace failure_texts

std::string failure_text(const Status& failure) {
  const auto code = static_cast<size_t>(http::grpc_code(failure));
  return fmt::format("rpc error: code = {} desc = {}", failure_texts::kCodes[code],
                     failure.message());
}

std::string pull_failure_text(const Status& failure) {
  if (http::grpc_code(failure) == http::GrpcCode::kUnknown) return failure.message();
  return failure_text(failure);
}

}  // namespace proa::kubelet::cri
