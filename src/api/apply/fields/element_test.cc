#include "api/apply/fields/element.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::api {
namespace {

Element parsed(std::string_view text, json::Arena& arena) {
  const Result<std::optional<Element>> element = parse_element(text, arena);
  EXPECT_TRUE(element && *element) << text;
  return element && *element ? **element : Element::index(-1);
}

TEST(Element, PrintsWhatItParsed) {
  json::Arena arena;
  for (const std::string text :
       {"f:spec", "f:", "f:a:b", R"(k:{"name":"a"})", R"(k:{"containerPort":80,"protocol":"TCP"})",
        R"(v:"a")", "v:12", "v:true", "v:null", "v:1.5", "i:3", "i:-1", R"(k:{"name":"a\"b"})",
        R"(k:{"a":null})", R"(k:{"a":[1,{"b":2}]})", R"(v:"\u003c")",
        R"(k:{"port":9007199254740993})"}) {
    std::string printed;
    parsed(text, arena).print_to(printed);
    EXPECT_EQ(printed, text);
  }
}

TEST(Element, SortsTheFieldsOfKeys) {
  json::Arena arena;
  std::string printed;
  parsed(R"(k:{"protocol":"TCP", "port" : 80})", arena).print_to(printed);
  EXPECT_EQ(printed, R"(k:{"port":80,"protocol":"TCP"})");
}

TEST(Element, IgnoresUnknownKindsAndRejectsMalformedOnes) {
  json::Arena arena;
  const Result<std::optional<Element>> unknown = parse_element("x:1", arena);
  EXPECT_TRUE(unknown && !*unknown);
  for (const std::string_view text :
       {"", "f", "ff", "v:", "v:{", "k:1", "k:{", "k:", "i:", "i:x", "i:1x", "v:\"\x01\""}) {
    EXPECT_TRUE(parse_element(text, arena).is(Reason::kBadRequest)) << text;
  }
}

TEST(Element, HasUpstreamsOrder) {
  json::Arena arena;
  const std::vector<std::string> ordered = {"f:",
                                            "f:a",
                                            "f:aa",
                                            "f:b",
                                            R"(k:{"a":1})",
                                            R"(k:{"a":1.5})",
                                            R"(k:{"a":2})",
                                            R"(k:{"a":2,"b":0})",
                                            R"(k:{"a":10})",
                                            R"(k:{"a":"1"})",
                                            R"(k:{"a":true})",
                                            R"(k:{"b":1})",
                                            "v:2",
                                            "v:10",
                                            R"(v:"")",
                                            R"(v:"a")",
                                            "v:false",
                                            "v:true",
                                            "v:[]",
                                            "v:[1]",
                                            "v:[1,2]",
                                            "v:[2]",
                                            "v:{}",
                                            R"(v:{"a":1})",
                                            R"(v:{"a":1,"b":1})",
                                            R"(v:{"a":2})",
                                            R"(v:{"b":1})",
                                            "v:null",
                                            "i:-1",
                                            "i:2",
                                            "i:10"};
  for (size_t i = 0; i < ordered.size(); ++i) {
    for (size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(parsed(ordered[i], arena) <=> parsed(ordered[j], arena), i <=> j)
          << ordered[i] << " and " << ordered[j];
    }
  }
  EXPECT_EQ(parsed("v:1", arena), parsed("v:1.0", arena));
}

TEST(Element, IsShownAsInUpstreamsMessages) {
  json::Arena arena;
  std::string path;
  for (const std::string_view text : {"f:spec", R"(k:{"port":80,"protocol":"T\"P"})", R"(v:"a")",
                                      "v:1.5", "v:true", "v:null", "i:3", R"(v:["a",1])"}) {
    parsed(text, arena).append_to(path);
  }
  EXPECT_EQ(path, R"(.spec[port=80,protocol="T\"P"][="a"][=1.5][=true][=null][3][=["a",1]])");
}

}  // namespace
}  // namespace proa::api
