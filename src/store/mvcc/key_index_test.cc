#include "store/mvcc/key_index.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "base/random.h"

namespace proa::store {
namespace key_index_test {

struct Itself {
  std::string_view operator()(const std::string& text) const { return text; }
};

TEST(KeyIndex, FindsWhatAMapFinds) {
  SeededRandom random(5);
  KeyIndex<std::string, Itself> index;
  std::map<std::string, std::unique_ptr<std::string>> expected;
  EXPECT_EQ(index.find("nothing"), nullptr);
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = std::to_string(random.below(700));
    const auto found = expected.find(key);
    if (found == expected.end()) {
      EXPECT_EQ(index.find(key), nullptr);
      auto text = std::make_unique<std::string>(key);
      index.insert(*text);
      expected.emplace(key, std::move(text));
    } else {
      EXPECT_EQ(index.find(key), found->second.get());
      if (random.below(2) == 0) continue;
      index.erase(*found->second);
      expected.erase(found);
    }
    EXPECT_EQ(index.size(), expected.size());
  }
  for (const auto& [key, text] : expected) EXPECT_EQ(index.find(key), text.get());
}

}  // namespace key_index_test
}  // namespace proa::store
