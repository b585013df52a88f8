#include "kinds/core/config_map.h"

#include <gtest/gtest.h>

#include "api/object/edit.h"
#include "base/encoding.h"
#include "kinds/checks/data.h"
#include "kinds/core/secret.h"

namespace proa::kinds {
namespace config_map_test {

TEST(SizeOfBase64, IsThatOfTheBytes) {
  for (size_t size = 0; size < 10; ++size) {
    EXPECT_EQ(size_of_base64(to_base64(std::string(size, 'x'))), size);
  }
}

std::vector<std::string> problems(const KindRules& rules, std::string_view field, size_t size) {
  json::Document document;
  document.root() = json::Value::object();
  const std::string bytes(size, 'x');
  const api::Edit data = api::Edit(document).object(field);
  data.set("small", field == "data" && rules.kind == "v1/ConfigMap" ? "x" : to_base64("x"));
  data.set("large", field == "data" && rules.kind == "v1/ConfigMap" ? bytes : to_base64(bytes));
  api::FieldErrors errors;
  rules.validate(document.root(), errors);
  return errors.texts();
}

TEST(Data, MayBeAMebibyteInAll) {
  const std::string too_long = "Too long: may not be more than 1048576 bytes";
  const KindRules config_map = config_map_rules();
  const KindRules secret = secret_rules();
  for (const char* field : {"data", "binaryData"}) {
    SCOPED_TRACE(field);
    EXPECT_TRUE(problems(config_map, field, kMaxDataSize - 1).empty());
    const auto found = problems(config_map, field, kMaxDataSize);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].ends_with(too_long)) << found[0];
  }
  EXPECT_TRUE(problems(secret, "data", kMaxDataSize - 1).empty());
  EXPECT_EQ(problems(secret, "data", kMaxDataSize), std::vector{"data: " + too_long});
}

}  // namespace config_map_test
}  // namespace proa::kinds
