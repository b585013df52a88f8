#include "http/client/grpc_status.h"

#include <gtest/gtest.h>

namespace proa::http {
namespace grpc_status_test {

using namespace std::chrono_literals;

TEST(GrpcStatus, KeepsItsCode) {
  for (int number = 1; number <= 16; ++number) {
    const auto code = static_cast<GrpcCode>(number);
    SCOPED_TRACE(static_cast<int>(code));
    const Status status = grpc_status(code, "words");
    EXPECT_EQ(grpc_code(status), code);
    EXPECT_EQ(grpc_code(status.in("somewhere")), code);
    EXPECT_EQ(status.message(), "words");
  }
  EXPECT_EQ(grpc_code(Status(Reason::kTimeout, "")), GrpcCode::kDeadlineExceeded);
  EXPECT_EQ(grpc_code(Status(Reason::kServiceUnavailable, "")), GrpcCode::kUnavailable);
  EXPECT_EQ(grpc_code(Status(Reason::kNotFound, "")), GrpcCode::kNotFound);
  EXPECT_EQ(grpc_code(Status(Reason::kGone, "")), GrpcCode::kUnknown);
}

TEST(GrpcFailure, IsReadFromTrailersThenHeadThenHttp) {
  const ResponseHead good{200, {}};
  EXPECT_FALSE(grpc_failure(good, {{"grpc-status", "0"}}));

  auto failure = grpc_failure(good, {{"grpc-status", "5"}, {"grpc-message", "no%20such%3A x"}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(grpc_code(*failure), GrpcCode::kNotFound);
  EXPECT_TRUE(failure->is(Reason::kNotFound));
  EXPECT_EQ(failure->message(), "no such: x");

  failure = grpc_failure({200, {{"grpc-status", "12"}}}, {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(grpc_code(*failure), GrpcCode::kUnimplemented);

  for (const auto& [http, code] : {std::pair{503, GrpcCode::kUnavailable},
                                   {401, GrpcCode::kUnauthenticated},
                                   {404, GrpcCode::kUnimplemented},
                                   {418, GrpcCode::kUnknown},
                                   {200, GrpcCode::kUnknown}}) {
    SCOPED_TRACE(http);
    failure = grpc_failure({http, {}}, {});
    ASSERT_TRUE(failure);
    EXPECT_EQ(grpc_code(*failure), code);
  }
  for (const char* wrong : {"", "x", "17", "-1", "5 ", "99999999999999999999"}) {
    SCOPED_TRACE(wrong);
    failure = grpc_failure(good, {{"grpc-status", wrong}});
    ASSERT_TRUE(failure);
    EXPECT_EQ(grpc_code(*failure), GrpcCode::kUnknown);
  }
}

TEST(GrpcTimeout, HasAtMostEightDigitsAndIsNeverShorter) {
  EXPECT_EQ(print_grpc_timeout(-1s), "1n");
  EXPECT_EQ(print_grpc_timeout(1ns), "1n");
  EXPECT_EQ(print_grpc_timeout(99'999'999ns), "99999999n");
  EXPECT_EQ(print_grpc_timeout(100'000'001ns), "100001u");
  EXPECT_EQ(print_grpc_timeout(5s), "5000000u");
  EXPECT_EQ(print_grpc_timeout(1h), "3600000m");
  EXPECT_EQ(print_grpc_timeout(Duration::max()), "2562048H");
}

TEST(GrpcMessage, KeepsWhatIsNotWellEncoded) {
  EXPECT_EQ(decode_grpc_message("a%C3%A4b"), "a\u00e4b");
  EXPECT_EQ(decode_grpc_message("100%"), "100%");
  EXPECT_EQ(decode_grpc_message("%zz %2"), "%zz %2");
  EXPECT_EQ(decode_grpc_message("%+1"), "%+1");
}

}  // namespace grpc_status_test
}  // namespace proa::http
