#include "http/client/grpc_status.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/encoding.h"
#include "base/strings.h"

namespace proa::http {
namespace grpc_codes {

struct Row {
  GrpcCode code;
  std::string_view name;
  Reason reason;
};

constexpr std::array kRows{
    Row{GrpcCode::kOk, "OK", Reason::kUnknown},
    Row{GrpcCode::kCancelled, "CANCELLED", Reason::kServiceUnavailable},
    Row{GrpcCode::kUnknown, "UNKNOWN", Reason::kInternalError},
    Row{GrpcCode::kInvalidArgument, "INVALID_ARGUMENT", Reason::kBadRequest},
    Row{GrpcCode::kDeadlineExceeded, "DEADLINE_EXCEEDED", Reason::kTimeout},
    Row{GrpcCode::kNotFound, "NOT_FOUND", Reason::kNotFound},
    Row{GrpcCode::kAlreadyExists, "ALREADY_EXISTS", Reason::kAlreadyExists},
    Row{GrpcCode::kPermissionDenied, "PERMISSION_DENIED", Reason::kForbidden},
    Row{GrpcCode::kResourceExhausted, "RESOURCE_EXHAUSTED", Reason::kTooManyRequests},
    Row{GrpcCode::kFailedPrecondition, "FAILED_PRECONDITION", Reason::kConflict},
    Row{GrpcCode::kAborted, "ABORTED", Reason::kConflict},
    Row{GrpcCode::kOutOfRange, "OUT_OF_RANGE", Reason::kBadRequest},
    Row{GrpcCode::kUnimplemented, "UNIMPLEMENTED", Reason::kMethodNotAllowed},
    Row{GrpcCode::kInternal, "INTERNAL", Reason::kInternalError},
    Row{GrpcCode::kUnavailable, "UNAVAILABLE", Reason::kServiceUnavailable},
    Row{GrpcCode::kDataLoss, "DATA_LOSS", Reason::kInternalError},
    Row{GrpcCode::kUnauthenticated, "UNAUTHENTICATED", Reason::kUnauthorized},
};

// The reason of the cause in which a Status carries its code.
constexpr std::string_view kCause = "GrpcCode";

const Row& row(GrpcCode code) { return kRows[static_cast<size_t>(code)]; }

// As gRPC's "HTTP to gRPC status code mapping" has it.
GrpcCode code_of_http(int status) {
  switch (status) {
    case 400:
      return GrpcCode::kInternal;
    case 401:
      return GrpcCode::kUnauthenticated;
    case 403:
      return GrpcCode::kPermissionDenied;
    case 404:
      return GrpcCode::kUnimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return GrpcCode::kUnavailable;
    default:
      return GrpcCode::kUnknown;
  }
}

GrpcCode parse_code(std::string_view text) {
  const auto number = parse_uint(text);
  return number && *number < kRows.size() ? static_cast<GrpcCode>(*number) : GrpcCode::kUnknown;
}

}  // namespace grpc_codes

Status grpc_status(GrpcCode code, std::string_view message) {
  CHECK(code != GrpcCode::kOk);
  const auto& row = grpc_codes::row(code);
  StatusDetails details;
  details.causes.push_back({std::string(grpc_codes::kCause), std::string(row.name), {}});
  return Status(row.reason, std::string(message)).with_details(std::move(details));
}

GrpcCode grpc_code(const Status& status) {
  for (const auto& cause : status.details().causes) {
    if (cause.reason != grpc_codes::kCause) continue;
    for (const auto& row : grpc_codes::kRows) {
      if (row.name == cause.message) return row.code;
    }
  }
  switch (status.reason()) {
    case Reason::kServiceUnavailable:
      return GrpcCode::kUnavailable;
    case Reason::kTimeout:
      return GrpcCode::kDeadlineExceeded;
    case Reason::kRequestEntityTooLarge:
      return GrpcCode::kResourceExhausted;
    case Reason::kUnsupportedMediaType:
      return GrpcCode::kUnimplemented;
    default:
      break;
  }
  const auto found = std::find_if(grpc_codes::kRows.begin() + 1, grpc_codes::kRows.end(),
                                  [&](const auto& row) { return status.is(row.reason); });
  return found == grpc_codes::kRows.end() ? GrpcCode::kUnknown : found->code;
}

std::optional<Status> grpc_failure(const ResponseHead& head, const Headers& trailers) {
  // A trailers-only response has its status in the head.
  const Headers& fields = trailers.has("grpc-status") ? trailers : head.headers;
  if (!fields.has("grpc-status")) {
    const auto words = "HTTP status " + std::to_string(head.status) + " without a grpc-status";
    return grpc_status(grpc_codes::code_of_http(head.status), words);
  }
  const GrpcCode code = grpc_codes::parse_code(fields.get("grpc-status"));
  if (code == GrpcCode::kOk) return std::nullopt;
  return grpc_status(code, decode_grpc_message(fields.get("grpc-message")));
}

std::string print_grpc_timeout(Duration left) {
  struct Unit {
    Duration size;
    char name;
  };
  using namespace std::chrono_literals;
  constexpr std::array kUnits{Unit{1ns, 'n'}, Unit{1us, 'u'},  Unit{1ms, 'm'},
                              Unit{1s, 'S'},  Unit{1min, 'M'}, Unit{1h, 'H'}};
  constexpr Duration::rep kMost = 99'999'999;
  left = std::max(left, Duration(1));
  for (const auto& unit : kUnits) {
    const auto count = (left.count() - 1) / unit.size.count() + 1;
    if (count <= kMost) return std::to_string(count) + unit.name;
  }
  CHECK(false && "more hours than nanoseconds can count");
}

std::string decode_grpc_message(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const auto byte = from_hex(text.substr(i + 1, 2));
      if (byte && byte->size() == 1) {
        decoded.push_back(byte->front());
        i += 2;
        continue;
      }
    }
    decoded.push_back(text[i]);
  }
  return decoded;
}

}  // namespace proa::http
