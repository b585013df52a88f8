#include "controllers/network/slices/packing.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::controllers {
namespace {

// "a b! c": endpoints by address; one with a mark is not ready.
std::vector<SliceEndpoint> endpoints_of(std::string_view text) {
  std::vector<SliceEndpoint> endpoints;
  for (std::string_view address : split(text, ' ')) {
    if (address.empty()) continue;
    const bool ready = !address.ends_with('!');
    if (!ready) address.remove_suffix(1);
    SliceEndpoint& endpoint = endpoints.emplace_back();
    endpoint.addresses = {address};
    endpoint.ready = ready;
  }
  return endpoints;
}

SliceFacts facts_of(std::string_view text) {
  SliceFacts facts;
  for (const SliceEndpoint& endpoint : endpoints_of(text)) {
    facts.endpoints.push_back(endpoint.mark());
  }
  return facts;
}

// "0: a b | 1*: c | new*: d | -2": which slice, whether it changes, and what is in it then; and
// those that go.
std::string describe(const Packing& packing) {
  std::vector<std::string> parts;
  for (const PackedSlice& slice : packing.slices) {
    std::string text = slice.existing ? std::to_string(*slice.existing) : "new";
    text += slice.changed ? "*:" : ":";
    for (const SliceEndpoint* endpoint : slice.endpoints) {
      text += " " + std::string(endpoint->addresses.front()) + (endpoint->is_ready() ? "" : "!");
    }
    parts.push_back(text);
  }
  for (const size_t index : packing.removed) parts.push_back("-" + std::to_string(index));
  return join(parts, " | ");
}

TEST(PackEndpoints, ChangesFewSlices) {
  struct Case {
    const char* name;
    const char* existing;  // "~" behind a slice: outdated
    const char* wanted;
    const char* packed;
  };
  // Three to a slice.
  const Case cases[] = {
      {"nothing", "", "", ""},
      {"new ones", "", "a b c d", "new*: a b c | new*: d"},
      {"as it was", "a b | c d", "d c b a", "0: a b | 1: c d"},
      {"one changed", "a b | c d", "a b c! d", "0: a b | 1*: c! d"},
      {"one gone", "a b | c d", "a b d", "0: a b | 1*: d"},
      {"all gone", "a b | c d", "a b", "0: a b | -1"},
      {"one more goes to the fullest with room", "a | b c | d", "a b c d e",
       "0: a | 1*: b c e | 2: d"},
      {"one more, no room", "a b c", "a b c d", "0: a b c | new*: d"},
      {"one that is changed anyway is filled", "a b | c d", "a b c! d e", "0: a b | 1*: c! d e"},
      {"the fullest of those that change is filled first", "a x | b c y", "a b c d e",
       "0*: a e | 1*: b c d"},
      {"outdated ones are filled", "a~ | b c", "a b c d e", "0*: a d e | 1: b c"},
      {"too many for one slice", "a | b", "a b c d e", "0: a | 1: b | new*: c d e"},
      {"replaced", "a b | c d", "a b e", "0*: a b e | -1"},
      {"twice the same", "", "a a", "new*: a"},
      {"in two slices, one is enough", "a b | a", "a b", "0: a b | -1"},
      {"slices that could be one stay two", "a | b", "a b", "0: a | 1: b"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<SliceFacts> facts;
    std::vector<ExistingSlice> existing;
    for (std::string_view text : split(c.existing, '|')) {
      if (text.empty()) continue;
      const bool outdated = text.find('~') != std::string_view::npos;
      std::string clean(text);
      std::erase(clean, '~');
      // The text of marks is not kept.
      facts.push_back(facts_of(clean));
      existing.push_back({.facts = nullptr, .outdated = outdated});
    }
    for (size_t i = 0; i < facts.size(); ++i) existing[i].facts = &facts[i];
    std::vector<SliceEndpoint> wanted = endpoints_of(c.wanted);
    const std::string packed = describe(pack_endpoints(existing, wanted, 3, Hints::kCompare));
    EXPECT_EQ(packed, c.packed);
  }
}

TEST(PackEndpoints, HintsCountOnlyWhenTheyAreCompared) {
  std::vector<SliceEndpoint> wanted = endpoints_of("a b");
  const SliceFacts facts = facts_of("a b");
  const ExistingSlice existing{.facts = &facts};
  wanted[1].for_zones = {"z"};
  const auto changed = [&](Hints hints) {
    return pack_endpoints(std::span(&existing, 1), wanted, 3, hints).slices[0].changed;
  };
  EXPECT_TRUE(changed(Hints::kCompare));
  EXPECT_FALSE(changed(Hints::kIgnore));
}

TEST(EndpointMark, TellsWhatIsDifferent) {
  SliceEndpoint endpoint;
  endpoint.addresses = {"10.0.0.1"};
  endpoint.target = TargetReference{.kind = "Pod", .name = "a", .uid = "1"};
  const EndpointMark mark = endpoint.mark();
  SliceEndpoint other = endpoint;
  other.target->resource_version = "5";
  EXPECT_EQ(other.mark(), mark);
  other.target->uid = "2";
  EXPECT_EQ(other.mark().identity, mark.identity);
  EXPECT_NE(other.mark().content, mark.content);
  other = endpoint;
  other.hostname = "h";
  EXPECT_NE(other.mark().identity, mark.identity);
  other = endpoint;
  other.ready = false;
  EXPECT_NE(other.mark().content, mark.content);
  other = endpoint;
  other.for_nodes = {"n"};
  EXPECT_EQ(other.mark().content, mark.content);
  EXPECT_NE(other.mark().hints, mark.hints);
}

}  // namespace
}  // namespace proa::controllers
