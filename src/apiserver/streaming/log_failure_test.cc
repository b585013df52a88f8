#include "apiserver/streaming/log_failure.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(LogFailure, SaysWhatTheKubeletSaidInTheWordsOfTheApi) {
  struct Case {
    int answered;
    int code;
    Reason reason;
    std::string_view message;
  };
  for (const Case& c : {
           Case{400, 400, Reason::kBadRequest, "it said"},
           Case{401, 401, Reason::kUnauthorized,
                "the server has asked for the client to provide credentials ( pods/log web)"},
           Case{403, 403, Reason::kForbidden, "it said ( pods/log web)"},
           Case{404, 404, Reason::kNotFound,
                "the server could not find the requested resource ( pods/log web)"},
           Case{418, 418, Reason::kUnknown,
                "the server responded with the status code 418 but did not return more information "
                "( pods/log web)"},
           Case{500, 500, Reason::kInternalError, "Internal error occurred: it said"},
           Case{502, 502, Reason::kInternalError,
                "an error on the server (\"it said\") has prevented the request from succeeding ( "
                "pods/log web)"},
           Case{503, 503, Reason::kServiceUnavailable,
                "the server is currently unable to handle the request ( pods/log web)"},
           Case{304, 304, Reason::kUnknown,
                "the server responded with the status code 304 but did not return more information "
                "( pods/log web)"},
       }) {
    const Status status =
        log_failure({c.answered, {}, Bytes::of_static("it said"), {}}, "https://n/x", "web");
    EXPECT_EQ(status.code(), c.code);
    EXPECT_EQ(status.reason(), c.reason) << c.answered;
    EXPECT_EQ(status.message(), c.message);
  }
}

TEST(LogFailure, LeavesRedirectsAlone) {
  const Status status =
      log_failure({302, {{"location", "http://elsewhere/"}}, {}, {}}, "https://n/x", "web");
  EXPECT_EQ(status.code(), 500);
  EXPECT_EQ(status.message(), "Get \"https://n/x\": redirects forbidden");
}

}  // namespace
}  // namespace proa::apiserver
