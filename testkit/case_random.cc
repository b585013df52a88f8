#include "testkit/case_random.h"

namespace proa::testkit {

void CaseRandom::begin_case(std::string_view command) {
  // FNV-1a: the same on every machine, unlike std::hash.
  uint64_t hash = 0xCBF29CE484222325;
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001B3; };
  for (const char one : command) add(static_cast<unsigned char>(one));
  const MutexLock lock(mutex_);
  uint64_t& count = seen_[std::string(command)];
  for (uint64_t rest = count++; rest > 0; rest >>= 8) add(static_cast<unsigned char>(rest));
  current_.emplace(hash);
}

void CaseRandom::fill(std::span<unsigned char> out) {
  const MutexLock lock(mutex_);
  current_->fill(out);
}

}  // namespace proa::testkit
