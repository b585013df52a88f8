#pragma once

// Shared by the tests of this folder.

#include <memory>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "json/parse.h"
#include "scheduler/model/node.h"
#include "scheduler/plugins/resources/resource_args.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {

// As JSON; empty: none.
inline json::Document parse_args(std::string_view args) {
  auto document = json::parse(args.empty() ? "null" : args);
  CHECK(document.ok());
  return *std::move(document);
}

inline FitArgs fit_args(std::string_view args) {
  const json::Document document = parse_args(args);
  const auto read = read_fit_args(document.root());
  CHECK(read.ok());
  return *read;
}

inline PodRequests requests_of(const testkit::PodBuilder& pod) {
  PodReader reader;
  return reader.read(pod.object())->shape->requests;
}

// With these pods on it.
inline Node node_of(const testkit::NodeBuilder& node,
                    const std::vector<testkit::PodBuilder>& pods = {}) {
  PodReader reader;
  Node made(std::make_shared<const NodeFacts>(read_node(node.object())));
  for (const testkit::PodBuilder& pod : pods) made.add(reader.read(pod.object()));
  return made;
}

}  // namespace proa::scheduler
