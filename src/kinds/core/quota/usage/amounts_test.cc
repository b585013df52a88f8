#include "kinds/core/quota/usage/amounts.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::kinds::quota {
namespace {

Amounts make(const char* yaml) {
  const json::Document document = *json::parse_yaml(yaml);
  return read_amounts(document.root());
}

TEST(QuotaAmounts, AreReadAndWritten) {
  const Amounts amounts = make("{cpu: 100m, memory: 1Gi, bad: x, worse: 1}");
  EXPECT_EQ(text_of(amounts), "cpu=100m,memory=1Gi");
  json::Document document = *json::parse_yaml("{used: {gone: '1'}}");
  write_amounts(api::Edit(document), "used", amounts);
  EXPECT_EQ(read_amounts(api::View(document.root())["used"]), amounts);
}

TEST(QuotaAmounts, Add) {
  Amounts sum = make("{cpu: 900m, memory: '0'}");
  add(sum, make("{cpu: 100m, memory: 1Gi, pods: '1'}"));
  EXPECT_EQ(text_of(sum), "cpu=1,memory=1Gi,pods=1");
}

TEST(QuotaAmounts, GrowButDontShrink) {
  EXPECT_EQ(text_of(growth(make("{a: '3', b: '1', c: '2', d: '0'}"),
                           make("{a: '1', b: '1', c: '5', e: '7'}"))),
            "a=2");
}

TEST(QuotaAmounts, TakeTheLarger) {
  Amounts most = make("{a: '3', b: '1'}");
  take_larger(most, make("{a: '1', b: '2', c: '4'}"));
  EXPECT_EQ(text_of(most), "a=3,b=2,c=4");
}

TEST(QuotaAmounts, AreMasked) {
  const Amounts amounts = make("{a: '3', b: '1'}");
  EXPECT_EQ(text_of(only(amounts, {"b", "c"})), "b=1");
  EXPECT_EQ(text_of(names_of(amounts)), "a,b");
}

}  // namespace
}  // namespace proa::kinds::quota
