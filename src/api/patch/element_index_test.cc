#include "api/patch/element_index.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace element_index_test {

// Lists as JSON, in and out.
std::string ordered(std::string_view elements, std::string_view wanted, std::string_view server,
                    std::string_view merge_key = {}) {
  auto list = json::parse(elements);
  const auto wanted_list = json::parse(wanted);
  const auto server_list = json::parse(server);
  ElementIndex wanted_index(merge_key);
  ElementIndex server_index(merge_key);
  EXPECT_TRUE(wanted_index.add_all(wanted_list->root().items()).ok());
  EXPECT_TRUE(server_index.add_all(server_list->root().items()).ok());
  std::vector<json::Value> items;
  for (json::Value& item : list->root().items()) items.push_back(std::move(item));
  std::string out;
  for (const json::Value& item :
       order_elements(std::move(items), wanted_index, server_index, server_list->root().size()))
    out += json::print(item);
  return out;
}

}  // namespace element_index_test
using namespace element_index_test;

TEST(OrderElements, FollowsThePatchAndThenTheServer) {
  const struct {
    std::string_view elements, wanted, server, expected;
  } cases[] = {
      {"[]", "[]", "[]", ""},
      {"[1,2,3]", "[]", "[1,2,3]", "123"},
      {"[3,1,2]", "[]", "[1,2,3]", "123"},
      {"[1,2,3]", "[3,2,1]", "[1,2,3]", "321"},
      {"[1,2,3,4]", "[4,2]", "[1,2,3,4]", "1342"},
      {"[1,2,9]", "[9]", "[1,2]", "912"},
      {"[1,2,9]", "[2,9]", "[1,2]", "129"},
      {"[1,2,9]", "[1,9]", "[1,2]", "192"},
      {"[5,6]", "[6]", "[]", "65"},
      {"[1,1,2]", "[2,1]", "[1,2]", "211"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ordered(c.elements, c.wanted, c.server), c.expected)
        << c.elements << " " << c.wanted << " " << c.server;
  }
}

TEST(OrderElements, KnowsElementsByTheirKey) {
  EXPECT_EQ(
      ordered(R"([{"k":"a","x":1},{"k":"b"}])", R"([{"k":"b","x":2}])", R"([{"k":"a"}])", "k"),
      R"({"k":"b"}{"k":"a","x":1})");
}

TEST(ElementIndex, TellsKindsApart) {
  const auto list = json::parse(R"(["1",1,1.5,true,"true","\u00001"])");
  ElementIndex index({});
  ASSERT_TRUE(index.add_all(list->root().items()).ok());
  for (size_t i = 0; i < list->root().size(); ++i)
    EXPECT_EQ(index.find(list->root().items()[i]), i);
  EXPECT_EQ(index.find(json::Value::integer(2)), std::nullopt);
}

TEST(ElementIndex, NeedsKeys) {
  const auto list = json::parse(R"([null,{},[],{"k":null},{"k":[]},7])");
  const ElementIndex scalars({});
  const ElementIndex keyed("k");
  for (const json::Value& item : list->root().items()) EXPECT_FALSE(keyed.key_of(item).ok());
  EXPECT_FALSE(scalars.key_of(list->root().items()[0]).ok());
  EXPECT_FALSE(scalars.key_of(list->root().items()[1]).ok());
  EXPECT_TRUE(scalars.key_of(list->root().items()[5]).ok());
}

}  // namespace proa::api
