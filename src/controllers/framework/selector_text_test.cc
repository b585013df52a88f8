#include "controllers/framework/selector_text.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::controllers {
namespace {

TEST(GoSelectorText, IsWhatGoPrints) {
  const auto text = [](const char* selector) {
    const json::Document document = json::parse(selector).value();
    return go_selector_text(document.root());
  };
  EXPECT_EQ(text("null"), "nil");
  EXPECT_EQ(text("{}"),
            "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:"
            "[]LabelSelectorRequirement{},}");
  EXPECT_EQ(text(R"({"matchLabels":{"b":"2","a":"1"},"matchExpressions":)"
                 R"([{"key":"c","operator":"In","values":["x","y"]},)"
                 R"({"key":"d","operator":"Exists"}]})"),
            "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:"
            "[]LabelSelectorRequirement{LabelSelectorRequirement{Key:c,Operator:In,Values:[x y],},"
            "LabelSelectorRequirement{Key:d,Operator:Exists,Values:[],},},}");
}

}  // namespace
}  // namespace proa::controllers
