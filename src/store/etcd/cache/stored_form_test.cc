#include "store/etcd/cache/stored_form.h"

#include <gtest/gtest.h>

namespace proa::store::etcd {
namespace stored_form_test {

constexpr std::string_view kObject =
    R"({"kind":"Pod","metadata":{"name":"a","resourceVersion":"","uid":"u"},"spec":{}})";

TEST(StoredValue, OfAnObjectIsItsJson) {
  const size_t stamp = kObject.find("\"\"") + 1;
  EXPECT_EQ(stored_value(kObject, stamp), kObject);
  const StoredValue read = parse_stored_value(kObject);
  EXPECT_EQ(read.value, kObject);
  EXPECT_EQ(read.stamp_at, stamp);
}

TEST(StoredValue, SurvivesWhateverItIs) {
  struct Case {
    std::string_view value;
    std::optional<size_t> stamp_at;
  };
  const Case cases[] = {{"", {}},
                        {"", 0},
                        {"ab", 1},
                        {"text", {}},
                        {"{}", {}},
                        {"{", 1},
                        {"proa:3:abc", {}},
                        {"proa:x", 6},
                        {kObject, {}},
                        {kObject, 5},
                        {"k8s:enc:", {}},
                        {"k8s:enc:", 8},
                        {"{\"metadata\":{", {}},
                        {"{\"metadata\":\"\"}", {}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.value);
    const std::string stored = stored_value(c.value, c.stamp_at);
    const StoredValue read = parse_stored_value(stored);
    EXPECT_EQ(read.value, c.value);
    EXPECT_EQ(read.stamp_at, c.stamp_at);
    EXPECT_FALSE(disk_value(stored).transformed);
  }
}

TEST(StoredForm, MovesKeysBelowThePrefix) {
  const StoredForm form("/registry", "/clusters/one", nullptr);
  EXPECT_EQ(*form.key_in_etcd("/registry/pods/a"), "/clusters/one/pods/a");
  EXPECT_TRUE(form.key_in_etcd("/registryx").is(Reason::kBadRequest));
  EXPECT_TRUE(form.key_in_etcd("").is(Reason::kBadRequest));
  EXPECT_EQ(form.key_of("/clusters/one/pods/a"), "/registry/pods/a");
  EXPECT_EQ(form.key_of("/clusters/one.proa/x"), std::nullopt);
  EXPECT_EQ(form.key_of("compact_rev_key"), std::nullopt);
}

TEST(StoredForm, StampsARevisionIntoWhatItReads) {
  const StoredForm form("", "/registry", nullptr);
  WatchEvent event;
  event.kv = {.create_revision = 3, .mod_revision = 12, .version = 2, .value = kObject};
  const auto entry = form.entry_of("/pods/a", event, 1);
  ASSERT_TRUE(entry.ok());
  EXPECT_NE((*entry)->value().find(R"("resourceVersion":"12",)"), std::string_view::npos);
  EXPECT_EQ((*entry)->create_revision(), Revision{3});
  EXPECT_EQ((*entry)->index(), 1u);
}

TEST(StoredForm, RefusesEncryptedValuesWithoutTheirKeys) {
  const StoredForm form("", "/registry", nullptr);
  WatchEvent event;
  event.kv = {.mod_revision = 12, .version = 1, .value = "k8s:enc:aescbc:v1:key1:x"};
  EXPECT_TRUE(form.entry_of("/secrets/a", event, 0).is(Reason::kForbidden));
}

}  // namespace stored_form_test
}  // namespace proa::store::etcd
