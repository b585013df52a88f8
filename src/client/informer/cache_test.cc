#include "client/informer/cache.h"

#include <gtest/gtest.h>

#include "json/text/scan.h"

namespace proa::client {
namespace {

api::ObjectPtr make(const std::string& name_space, const std::string& name, int version,
                    const std::string& node = "") {
  return api::Object::make("{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"" +
                           name_space + "\",\"uid\":\"u-" + name + "\",\"resourceVersion\":\"" +
                           std::to_string(version) + "\"},\"node\":\"" + node + "\"}");
}

std::vector<std::string> node_of(const api::Object& object) {
  const std::string_view node = json::Scan::unquoted(json::Scan::find(object.json(), "node"));
  if (node.empty()) return {};
  return {std::string(node)};
}

std::string names(const std::vector<api::ObjectPtr>& objects) {
  std::string text;
  for (const api::ObjectPtr& object : objects) {
    text += Key::of(*object).str() + "@" + std::string(object->metadata().resource_version) + " ";
  }
  return text;
}

TEST(Cache, FindsByKeyAndNamespace) {
  Cache cache;
  cache.put(make("b", "x", 1));
  cache.put(make("a", "y", 2));
  cache.put(make("a", "x", 3));
  cache.put(make("aa", "x", 4));
  EXPECT_EQ(names(cache.list()), "a/x@3 a/y@2 aa/x@4 b/x@1 ");
  EXPECT_EQ(names(cache.list("a")), "a/x@3 a/y@2 ");
  EXPECT_EQ(names(cache.list("c")), "");
  EXPECT_EQ(cache.get({"a", "y"})->metadata().resource_version, "2");
  EXPECT_EQ(cache.get({"a", "z"}), nullptr);
}

TEST(Cache, TellsWhatStoodThereBefore) {
  Cache cache;
  const api::ObjectPtr first = make("a", "x", 1);
  const api::ObjectPtr second = make("a", "x", 2);
  EXPECT_EQ(cache.put(first).before, nullptr);
  const Change changed = cache.put(second);
  EXPECT_EQ(changed.before, first);
  EXPECT_EQ(changed.after, second);
  const Change removed = cache.remove({"a", "x"});
  EXPECT_EQ(removed.before, second);
  EXPECT_EQ(removed.after, nullptr);
  EXPECT_EQ(cache.remove({"a", "x"}).before, nullptr);
  EXPECT_EQ(cache.size(), 0U);
}

TEST(Cache, KeepsIndexesWithTheObjects) {
  Cache cache;
  cache.add_index("node", node_of);
  cache.put(make("a", "x", 1, "n1"));
  cache.put(make("a", "y", 2, "n1"));
  cache.put(make("a", "z", 3));
  EXPECT_EQ(names(cache.find("node", "n1")), "a/x@1 a/y@2 ");
  cache.put(make("a", "x", 4, "n2"));
  EXPECT_EQ(names(cache.find("node", "n1")), "a/y@2 ");
  EXPECT_EQ(names(cache.find("node", "n2")), "a/x@4 ");
  cache.put(make("a", "x", 5, "n2"));
  EXPECT_EQ(names(cache.find("node", "n2")), "a/x@5 ");
  cache.remove({"a", "y"});
  EXPECT_EQ(names(cache.find("node", "n1")), "");
}

TEST(Cache, ReplacesEverythingAndTellsWhatDiffers) {
  Cache cache;
  cache.add_index("node", node_of);
  cache.put(make("a", "gone", 1, "n"));
  cache.put(make("a", "same", 2, "n"));
  cache.put(make("a", "newer", 3, "n"));
  const std::vector<Change> changes = cache.replace(
      {make("a", "same", 2, "n"), make("a", "newer", 5, "n"), make("a", "came", 6, "n")});
  std::string text;
  for (const Change& change : changes) {
    text += change.key.name + (change.before ? " had" : "") + (change.after ? " has" : "") + "; ";
  }
  EXPECT_EQ(text, "gone had; came has; newer had has; ");
  EXPECT_EQ(names(cache.list()), "a/came@6 a/newer@5 a/same@2 ");
  EXPECT_EQ(names(cache.find("node", "n")), "a/came@6 a/newer@5 a/same@2 ");
}

}  // namespace
}  // namespace proa::client
