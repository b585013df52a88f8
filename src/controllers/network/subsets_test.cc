#include "controllers/network/subsets.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/parse.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

// "80,81: a !b | 82: c" : ports, then addresses, those that are not ready with a mark.
std::vector<EndpointSubset> subsets_of(std::string_view text) {
  std::vector<EndpointSubset> subsets;
  if (text.empty()) return subsets;
  for (const std::string_view part : split(text, '|')) {
    const Halves halves = *split_once(part, ':');
    EndpointSubset& subset = subsets.emplace_back();
    for (const std::string_view port : split(trim(halves.before), ',')) {
      if (!port.empty()) subset.ports.push_back({.number = *parse_int(port)});
    }
    for (std::string_view address : split(trim(halves.after), ' ')) {
      const bool ready = !address.starts_with('!');
      if (!ready) address.remove_prefix(1);
      (ready ? subset.ready : subset.not_ready).push_back({.ip = address});
    }
  }
  return subsets;
}

TEST(Repack, MakesFewSubsetsInOneOrder) {
  struct Case {
    const char* name;
    const char* given;
    const char* packed;
  };
  const Case cases[] = {
      {"nothing", "", ""},
      {"one", "80: a", "80: a"},
      {"sorted", "81,80: b a", "80,81: a b"},
      {"same addresses", "80: a b | 81: b a", "80,81: a b"},
      {"same ports", "80: b | 80: a", "80: a b"},
      {"both", "80: a | 81: a b | 80: b", "80,81: a b"},
      {"differ", "81: b | 80: a", "80: a | 81: b"},
      {"no ports", ": b | : a", ": a b"},
      {"no ports, and some", ": a | 80: a", "80: a"},
      {"not ready goes before ready", "80: a | 80: !a", "80: !a"},
      {"ready for one port only", "80: a | 81: !a", "80: a | 81: !a"},
      {"twice", "80: a a | 80: a", "80: a"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(repack(subsets_of(c.given)), subsets_of(c.packed));
  }
}

TEST(Repack, PodsThatShareAnAddressAreTwo) {
  EndpointSubset subset;
  subset.ports = {{.number = 80}};
  for (const char* uid : {"2", "1"}) {
    subset.ready.push_back({.ip = "10.0.0.1", .target = TargetReference{.uid = uid}});
  }
  const std::vector<EndpointSubset> packed = repack(std::span(&subset, 1));
  ASSERT_EQ(packed.size(), 1U);
  ASSERT_EQ(packed[0].ready.size(), 2U);
  EXPECT_EQ(packed[0].ready[0].target->uid, "1");
}

TEST(Truncate, LeavesEachSubsetItsShareAndReadyOnesFirst) {
  struct Case {
    const char* name;
    const char* given;
    size_t most;
    bool truncated;
    const char* left;
  };
  const Case cases[] = {
      {"enough room", "80: a b", 2, false, "80: a b"},
      {"ready first", "80: a b !c !d", 3, true, "80: a b !c"},
      {"all room for ready", "80: a b !c", 2, true, "80: a b"},
      {"too many ready", "80: a b c !d", 2, true, "80: a b"},
      {"shares", "80: a b c d | 81: e f", 3, true, "80: a b | 81: e"},
      {"rounded up", "80: a b | 81: c d | 82: e f", 4, true, "80: a b | 81: c d | 82: "},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<EndpointSubset> subsets = subsets_of(c.given);
    EXPECT_EQ(truncate(subsets, c.most), c.truncated);
    std::vector<EndpointSubset> left = subsets_of(c.left);
    for (EndpointSubset& subset : left) {
      std::erase_if(subset.ready,
                    [](const EndpointAddress& address) { return address.ip.empty(); });
    }
    EXPECT_EQ(subsets, left);
  }
}

TEST(Subsets, AreWrittenAsTheyWereRead) {
  constexpr std::string_view kText =
      R"({"subsets":[{"addresses":[{"ip":"10.0.0.1","hostname":"h","nodeName":"n",)"
      R"("targetRef":{"kind":"Pod","namespace":"a","name":"b","uid":"c"}}],)"
      R"("notReadyAddresses":[{"ip":"10.0.0.2"}],)"
      R"("ports":[{"name":"x","port":80,"protocol":"UDP","appProtocol":"h2c"}]}]})";
  const json::Document document = json::parse(kText).value();
  const api::View root = document.root();
  json::Document copy = json::parse("{}").value();
  write_subsets(api::Edit(copy), read_subsets(root["subsets"]));
  EXPECT_EQ(api::View(copy.root()), root);
}

}  // namespace
}  // namespace proa::controllers
