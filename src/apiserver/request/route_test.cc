#include "apiserver/request/route.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(VerbOf, OnlyCollectionsAreWatchedByAQuery) {
  using api::Verb;
  const struct {
    const char* target;
    Verb plain;
    Verb watch;  // with the parameter
  } cases[] = {
      {"/api/v1/pods", Verb::kList, Verb::kWatch},
      {"/api/v1/namespaces/default/pods", Verb::kList, Verb::kWatch},
      {"/api/v1/namespaces", Verb::kList, Verb::kWatch},
      {"/api/v1/namespaces/default", Verb::kGet, Verb::kGet},
      {"/api/v1/namespaces/default/pods/a", Verb::kGet, Verb::kGet},
      {"/api/v1/namespaces/default/pods/a/status", Verb::kGet, Verb::kGet},
      {"/api/v1/namespaces/default/pods/a/proxy/x", Verb::kGet, Verb::kGet},
      {"/apis/example.com/v1/namespaces/default/ships/a", Verb::kGet, Verb::kGet},
      // The deprecated form needs no parameter.
      {"/api/v1/watch/pods", Verb::kWatch, Verb::kWatch},
      {"/api/v1/watch/namespaces/default/pods/a", Verb::kWatch, Verb::kWatch},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.target);
    const http::Target target = http::parse_target(c.target).value();
    const std::optional<Route> route = find_route(target).value();
    ASSERT_TRUE(route);
    EXPECT_EQ(verb_of("GET", *route, false), c.plain);
    EXPECT_EQ(verb_of("GET", *route, true), c.watch);
  }
}

}  // namespace
}  // namespace proa::apiserver
