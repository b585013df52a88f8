#include "api/patch/restore_error.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"

namespace proa::api {

TEST(RestoreError, HasTheWordsOfUpstreamsConverter) {
  const struct {
    const char* kind;
    const char* object;
    const char* expected;
  } cases[] = {
      {"Pod", R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}})", ""},
      {"Pod", R"({"spec":"x"})", "cannot restore struct from: string"},
      {"Pod", R"({"spec":[]})", "cannot restore struct from: slice"},
      {"Pod", R"({"spec":{"containers":{}}})", "cannot restore slice from map"},
      {"Pod", R"({"spec":{"containers":[1]}})", "cannot restore struct from: int64"},
      {"Pod", R"({"metadata":{"labels":"x"}})", "cannot restore map from string"},
      {"Pod", R"({"metadata":{"labels":{"a":1}}})", "cannot convert int64 to string"},
      {"Pod", R"({"metadata":{"labels":{"a":true}}})", "unrecognized type: string"},
      {"Pod", R"({"spec":{"restartPolicy":5}})", "cannot convert int64 to v1.RestartPolicy"},
      {"Pod", R"({"spec":{"hostNetwork":"x"}})", "unrecognized type: bool"},
      {"Pod", R"({"spec":{"activeDeadlineSeconds":"x"}})", "unrecognized type: int64"},
      {"Pod", R"({"spec":{"activeDeadlineSeconds":1.5}})", "cannot convert float64 to int64"},
      {"Pod", R"({"spec":{"activeDeadlineSeconds":3.0}})", ""},
      {"Secret", R"({"data":{"a":5}})", "cannot restore slice from int64"},
      {"Secret", R"({"data":{"a":"*"}})",
       "error decoding from json: illegal base64 data at input byte 0"},
      {"Pod", R"({"metadata":{"creationTimestamp":5}})",
       "json: cannot unmarshal number into Go value of type string"},
  };
  for (const auto& c : cases) {
    const json::Document document = json::parse_literal(c.object);
    EXPECT_EQ(find_restore_error(document.root(), *builtin_schema().find_kind("v1", c.kind)),
              c.expected)
        << c.object;
  }
}

}  // namespace proa::api
