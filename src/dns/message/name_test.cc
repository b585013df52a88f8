#include "dns/message/name.h"

#include <gtest/gtest.h>

namespace proa::dns {
namespace {

Name name_of(std::string_view text) {
  const auto name = Name::parse(text);
  EXPECT_TRUE(name) << text;
  return name.value_or(Name());
}

TEST(Name, IsParsedAndPrinted) {
  const struct {
    std::string_view text;
    std::string_view printed;
  } kCases[] = {
      {".", "."},
      {"a", "a."},
      {"a.b.", "a.b."},
      {"Kubernetes.Default.svc", "Kubernetes.Default.svc."},
      {"a\\.b.c", "a\\.b.c."},
      {"\\065.x", "A.x."},
      {"\\000\\255.x", "\\000\\255.x."},
      {"a\\\\b", "a\\\\b."},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.text);
    const auto name = Name::parse(c.text);
    ASSERT_TRUE(name);
    EXPECT_EQ(name->str(), c.printed);
    EXPECT_EQ(name_of(name->str()), *name);
  }
}

TEST(Name, RefusesWhatIsNone) {
  const std::string longest = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                              std::string(63, 'c') + "." + std::string(61, 'd');
  EXPECT_TRUE(Name::parse(longest));
  for (const std::string& text :
       {std::string(), std::string("a..b"), std::string(".a"), std::string(64, 'a'), longest + "d",
        std::string("a\\"), std::string("a\\25"), std::string("a\\256")}) {
    EXPECT_FALSE(Name::parse(text)) << text;
  }
}

TEST(Name, IgnoresCase) {
  EXPECT_EQ(name_of("Foo.BAR"), name_of("fOO.bar"));
  EXPECT_EQ(hash_name(name_of("Foo.BAR")), hash_name(name_of("foo.bar")));
  EXPECT_NE(hash_name(name_of("foo.bar")), hash_name(name_of("foo.baz")));
  EXPECT_NE(name_of("foo.bar"), name_of("foo.baz"));
  // Only letters have a case: [ and { differ by the same bit.
  EXPECT_NE(name_of("[.x"), name_of("{.x"));
  EXPECT_EQ(name_of("Foo.BAR").lowered().str(), "foo.bar.");
}

TEST(Name, KnowsItsZone) {
  const Name zone = name_of("cluster.local");
  EXPECT_TRUE(name_of("a.b.Cluster.LOCAL").view().within(zone));
  EXPECT_TRUE(zone.view().within(zone));
  EXPECT_TRUE(zone.view().within(NameView()));
  EXPECT_FALSE(name_of("local").view().within(zone));
  EXPECT_FALSE(name_of("xcluster.local").view().within(zone));
  EXPECT_FALSE(name_of("a\\007cluster.local").view().within(zone));
}

TEST(Name, HasLabels) {
  Name name;
  EXPECT_TRUE(name.append("a"));
  EXPECT_TRUE(name.append(name_of("b.c").view()));
  EXPECT_FALSE(name.append(std::string_view()));
  EXPECT_EQ(name.str(), "a.b.c.");
  EXPECT_EQ(name.view().labels(), 3U);
  EXPECT_EQ(name.view().label(), "a");
  EXPECT_EQ(name.view().parent().str(), "b.c.");
}

TEST(Types, HaveNames) {
  Type type = Type::kA;
  EXPECT_TRUE(parse_type("srv", type));
  EXPECT_EQ(type, Type::kSrv);
  EXPECT_TRUE(parse_type("TYPE65280", type));
  EXPECT_EQ(type_name(type), "TYPE65280");
  EXPECT_FALSE(parse_type("TYPE65536", type));
  EXPECT_FALSE(parse_type("none", type));
  EXPECT_EQ(rcode_name(Rcode::kNameError), "NXDOMAIN");
}

}  // namespace
}  // namespace proa::dns
