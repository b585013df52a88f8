#include "apiserver/front/paths/exposition.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

http::Response respond(const http::Headers& headers) {
  http::RequestHead head;
  head.headers = headers;
  return exposition(head, "a 1\n");
}

TEST(Exposition, NamesTheEscapingThatIsPreferred) {
  struct Case {
    const char* accept;
    const char* escaping;
  };
  for (const Case& c : {
           Case{"", "underscores"},
           Case{"*/*", "underscores"},
           Case{"text/plain;escaping=dots", "dots"},
           Case{"text/plain;escaping=unknown", "underscores"},
           Case{"text/plain, text/plain;escaping=dots", "underscores"},
           Case{"text/plain;q=0.1;escaping=dots, text/plain;version=1.0.0;escaping=values", "dots"},
           Case{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,"
                "*/*;q=0.2",
                "allow-utf-8"},
       }) {
    SCOPED_TRACE(c.accept);
    EXPECT_EQ(respond({{"accept", c.accept}}).headers.get("content-type"),
              "text/plain; version=0.0.4; charset=utf-8; escaping=" + std::string(c.escaping));
  }
}

TEST(Exposition, IsCompressedForThoseWhoAccept) {
  const http::Response plain = respond({});
  EXPECT_EQ(plain.body.view(), "a 1\n");
  EXPECT_FALSE(plain.headers.has("content-encoding"));
  EXPECT_FALSE(plain.headers.has("x-content-type-options"));
  EXPECT_EQ(plain.headers.get("cache-control"), "no-cache, private");
  EXPECT_GT(std::stoll(std::string(plain.headers.get("process-start-time-unix"))), 0);
  const http::Response compressed = respond({{"accept-encoding", "gzip, deflate"}});
  EXPECT_EQ(compressed.headers.get("content-encoding"), "gzip");
  EXPECT_TRUE(compressed.body.view().starts_with("\x1f\x8b"));
}

}  // namespace
}  // namespace proa::apiserver
