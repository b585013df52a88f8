#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"

namespace proa::proxy {

// A port of a Service as it was, and as it is to be: added (no `before`), changed, or removed (no
// `after`). `before` is what the last successful call of Rules left.
struct Change {
  ServicePortPtr before;
  ServicePortPtr after;
};

// How many rules a table has.
struct TableRules {
  Family family = Family::kV4;
  std::string_view table;
  int64_t total = 0;
  int64_t last = 0;  // written by the last call
};

// The rules of one mode in the kernel. Not thread-safe; may block while the kernel works. Ports of
// both address families are passed in; a mode sorts them. A port of a Service is in the lists once
// per family.
class Rules {
 public:
  virtual ~Rules() = default;

  // Makes the rules exactly those of `node` and `all`, whatever the kernel has now: at start, after
  // a failure, after a change by others, and when the node changed.
  virtual Result<void> replace(const NodeFacts& node, std::span<const ServicePortPtr> all) = 0;
  // Sends differences only, of each port at most one. An address may move from one port to another
  // in one call, in any order, and two ports may claim the same external address. After a failure
  // the rules are unknown: the caller calls replace(). REQUIRES: the last call succeeded.
  virtual Result<void> apply(std::span<const Change> changes) = 0;
  // Removes all rules of this mode; others' rules stay. No failure if there are none.
  virtual Result<void> remove() = 0;
  // Of modes whose rules are counted, after a call that succeeded.
  virtual std::vector<TableRules> counts() const { return {}; }

  // Readable when the kernel has reported changes of rules; -1 if it does not report them.
  virtual int descriptor() const { return -1; }
  // Where the kernel does not report: how often disturbed() is to be called.
  virtual Duration check_period() const { return Duration::max(); }
  // Reads the reports, without waiting. True if others changed our rules, or reports were lost:
  // the caller calls replace().
  virtual bool disturbed() = 0;
};

}  // namespace proa::proxy
