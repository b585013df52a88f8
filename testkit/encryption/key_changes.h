#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "store/store.h"
#include "testkit/encryption/test_transformer.h"

namespace proa::testkit {

// Reads plain values and those of all keys; the number says which one writes.
inline std::shared_ptr<const store::ValueTransformer> all_keys(size_t first) {
  std::string letters = "-abs";
  std::swap(letters[0], letters[first % letters.size()]);
  return std::make_shared<TestTransformer>(letters);
}

// Enables, rotates and disables encryption, one after the other, until it is stopped or the store
// fails.
inline void change_keys(store::Store& store, size_t first, const std::stop_token& stop) {
  for (; !stop.stop_requested(); ++first) {
    if (!store.set_transformer(all_keys(first)).ok()) return;
    if (!store.reencode([](const store::ReencodeProgress&) {}, stop).ok()) return;
  }
}

}  // namespace proa::testkit
