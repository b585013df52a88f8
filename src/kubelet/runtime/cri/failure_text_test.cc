#include "kubelet/runtime/cri/failure_text.h"

#include <gtest/gtest.h>

#include "http/client/grpc_status.h"

namespace proa::kubelet::cri {
namespace failure_text_test {

using http::grpc_status;
using http::GrpcCode;

TEST(FailureText, SaysTheCodeAsGoDoes) {
  EXPECT_EQ(failure_text(grpc_status(GrpcCode::kNotFound, "no such image")),
            "rpc error: code = NotFound desc = no such image");
  EXPECT_EQ(failure_text(grpc_status(GrpcCode::kCancelled, "x")),
            "rpc error: code = Canceled desc = x");
  EXPECT_EQ(failure_text(grpc_status(GrpcCode::kUnauthenticated, "x")),
            "rpc error: code = Unauthenticated desc = x");
  EXPECT_EQ(failure_text(grpc_status(GrpcCode::kUnknown, "boom")),
            "rpc error: code = Unknown desc = boom");
}

TEST(FailureText, OfPullsLeavesOutUnknown) {
  EXPECT_EQ(pull_failure_text(grpc_status(GrpcCode::kUnknown, "boom")), "boom");
  EXPECT_EQ(pull_failure_text(grpc_status(GrpcCode::kUnavailable, "boom")),
            "rpc error: code = Unavailable desc = boom");
}

}  // namespace failure_text_test
}  // namespace proa::kubelet::cri
