#include "apiserver/representation/media.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace media_test {

const std::string kProtobuf = "application/vnd.kubernetes.protobuf";
const std::string kPartial = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const std::string kTable = ";as=Table;g=meta.k8s.io;v=v1";

// Those of a custom resource.
constexpr Forms kCustom{.tables = true, .protobuf = false};

TEST(ChooseMedia, SkipsProtobufWhereThereIsNone) {
  const struct {
    std::string accept;
    Encoding built_in;
    Encoding custom;
    Form form = Form::kObject;
  } cases[] = {
      {kProtobuf + ",application/json", Encoding::kProtobuf, Encoding::kJson},
      {kProtobuf + ", */*", Encoding::kProtobuf, Encoding::kJson},
      {kProtobuf + ",application/yaml", Encoding::kProtobuf, Encoding::kYaml},
      {kProtobuf + ";q=0.9,application/json;q=0.1", Encoding::kProtobuf, Encoding::kJson},
      {kProtobuf + ";q=0.1,application/json;q=0.9", Encoding::kJson, Encoding::kJson},
      // Metadata has a message, whatever the object is.
      {kProtobuf + kPartial, Encoding::kProtobuf, Encoding::kProtobuf, Form::kPartial},
      {kProtobuf + kPartial + ",application/json", Encoding::kProtobuf, Encoding::kProtobuf,
       Form::kPartial},
      // A table has none.
      {kProtobuf + kTable + ",application/json" + kTable, Encoding::kJson, Encoding::kJson,
       Form::kTable},
      {kProtobuf + kTable + ",application/json", Encoding::kJson, Encoding::kJson},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.accept);
    const Result<Media> built_in = choose_media(c.accept, false);
    const Result<Media> custom = choose_media(c.accept, false, kCustom);
    ASSERT_TRUE(built_in.ok() && custom.ok());
    EXPECT_EQ(built_in->encoding, c.built_in);
    EXPECT_EQ(custom->encoding, c.custom);
    EXPECT_EQ(custom->form, c.form);
  }
}

TEST(ChooseMedia, RefusesProtobufAloneWhereThereIsNone) {
  const Result<Media> one = choose_media(kProtobuf, false, kCustom);
  EXPECT_TRUE(one.is(Reason::kNotAcceptable));
  EXPECT_EQ(one.status().message(),
            "only the following media types are accepted: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf");
  const Result<Media> watch = choose_media(kProtobuf + ";stream=watch", true, kCustom);
  EXPECT_TRUE(watch.is(Reason::kNotAcceptable));
  EXPECT_EQ(watch.status().message(),
            "only the following media types are accepted: application/json;stream=watch, "
            "application/vnd.kubernetes.protobuf;stream=watch");
}

}  // namespace media_test
}  // namespace proa::apiserver
