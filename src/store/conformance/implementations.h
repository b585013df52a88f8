#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/engine/engine.h"
#include "testkit/fake_clock.h"

namespace proa::store {

// One store under test, on a clock that the test moves.
class Fixture {
 public:
  virtual ~Fixture() = default;
  virtual Store& store() = 0;
  // Closes and opens the store again with what it holds; false when it can't hold anything.
  virtual bool reopen() = 0;
  // Moves the clock, and returns when the store has done what was due.
  virtual void advance(Duration by) = 0;
};

struct Implementation {
  std::string name;
  std::function<std::unique_ptr<Fixture>(const EngineOptions&)> make;
};

// Every implementation passes the tests of this folder; a new one is a new line there.
std::vector<Implementation> implementations();

inline std::string implementation_name(const testing::TestParamInfo<Implementation>& info) {
  return info.param.name;
}

// A directory that goes with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace proa::store
