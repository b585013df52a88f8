#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/engine/engine.h"
#include "testkit/fake_clock.h"

namespace proa::store {

// A store under test, on a clock that the test advances.
class Fixture {
 public:
  virtual ~Fixture() = default;
  virtual Store& store() = 0;
  // Closes and reopens the store; false if it does not persist anything.
  virtual bool reopen() = 0;
  // Advances the clock, and returns when the store has done everything due.
  virtual void advance(Duration by) = 0;
};

struct Implementation {
  std::string name;
  std::string missing;  // why it cannot be tested on this machine; empty: it can
  std::function<std::unique_ptr<Fixture>(const EngineOptions&)> make;
};

// Every implementation passes the tests of this folder; adding one is one line there.
std::vector<Implementation> implementations();

inline std::string implementation_name(const testing::TestParamInfo<Implementation>& info) {
  return info.param.name;
}

// A directory that is removed with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace proa::store
