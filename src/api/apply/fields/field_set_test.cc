#include "api/apply/fields/field_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/random.h"

namespace proa::api {
namespace {

// A path of a model is a word: each letter is a field.
using Words = std::set<std::string>;

std::vector<Element> path_of(const std::string& word) {
  std::vector<Element> path;
  for (const char& letter : word) path.push_back(Element::field({&letter, 1}));
  return path;
}

FieldSet make_set(const Words& words, FieldSetMaker& make) {
  FieldSet set;
  for (const std::string& word : words) set = make.unite(set, make.single(path_of(word)));
  return set;
}

Words words_of(const FieldSet& set) {
  Words words;
  set.for_each([&](std::span<const Element> path) {
    std::string word;
    for (const Element& element : path) word += element.name();
    EXPECT_TRUE(words.insert(word).second) << word;
  });
  return words;
}

Words random_words(SeededRandom& random) {
  Words words;
  for (size_t i = random.below(12); i > 0; --i) {
    std::string word;
    for (size_t letters = 1 + random.below(4); letters > 0; --letters)
      word += static_cast<char>('a' + random.below(3));
    words.insert(word);
  }
  return words;
}

TEST(FieldSet, AgreesWithSetsOfPaths) {
  SeededRandom random(7);
  for (int round = 0; round < 2000; ++round) {
    const Words a = random_words(random);
    const Words b = random_words(random);
    json::Arena arena;
    FieldSetMaker make(arena);
    const FieldSet one = make_set(a, make);
    const FieldSet other = make_set(b, make);
    ASSERT_EQ(words_of(one), a);
    EXPECT_EQ(one.size(), a.size());
    EXPECT_EQ(one.empty(), a.empty());
    EXPECT_EQ(one == other, a == b);
    EXPECT_EQ(one.contains(other), std::ranges::includes(a, b));

    Words expected;
    std::ranges::set_union(a, b, std::inserter(expected, expected.end()));
    EXPECT_EQ(words_of(make.unite(one, other)), expected);
    expected.clear();
    std::ranges::set_intersection(a, b, std::inserter(expected, expected.end()));
    EXPECT_EQ(words_of(make.intersect(one, other)), expected);
    expected.clear();
    std::ranges::set_difference(a, b, std::inserter(expected, expected.end()));
    EXPECT_EQ(words_of(make.subtract(one, other)), expected);

    const auto starts = [](const std::string& word, const std::string& with) {
      return word.starts_with(with);
    };
    expected.clear();
    Words leaves;
    for (const std::string& word : a) {
      if (std::ranges::none_of(b, [&](const auto& gone) { return starts(word, gone); }))
        expected.insert(word);
      if (std::ranges::count_if(a, [&](const auto& longer) { return starts(longer, word); }) == 1)
        leaves.insert(word);
    }
    EXPECT_EQ(words_of(make.subtract_with_below(one, other)), expected);
    EXPECT_EQ(words_of(make.leaves(one)), leaves);
    for (const std::string& word : b) EXPECT_EQ(one.has(path_of(word)), a.contains(word));
  }
}

TEST(FieldSet, JoinsWhatIsAddedTwice) {
  json::Arena arena;
  FieldSetMaker make(arena);
  const FieldSet x = make.single(std::array{Element::field("x")});
  const FieldSet y = make.single(std::array{Element::field("y")});
  const size_t level = make.begin();
  make.add(Element::field("b"), true);
  make.add(Element::field("a"), false, x);
  make.add(Element::field("a"), true, y);
  make.add(Element::field("c"), false);
  EXPECT_EQ(words_of(make.end_unsorted(level)), (Words{"a", "ax", "ay", "b"}));
}

TEST(FieldSet, ListsPathsThatEndBeforeThoseThatGoOn) {
  json::Arena arena;
  FieldSetMaker make(arena);
  std::string order;
  const Words words = {"ab", "b", "bc", "c"};
  make_set(words, make).for_each([&](std::span<const Element> path) {
    order += path_text(path) + " ";
  });
  EXPECT_EQ(order, ".b .c .a.b .b.c ");
}

}  // namespace
}  // namespace proa::api
