#include "http/budgets/head_budget.h"

#include <utility>

namespace proa::http {

HeadBudget::SharePtr HeadBudget::take(const std::shared_ptr<Account>& account, size_t bytes) {
  // Counted before it is compared: threads that do so at once may both be refused, but never both
  // get the last bytes.
  const size_t total = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const size_t own = account->used.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  auto share = std::make_unique<Share>(shared_from_this(), account, bytes);
  const size_t most = own <= kLittle ? limits_.total : limits_.total / 4 * 3;
  if (total > most || own > limits_.per_connection) return nullptr;
  return share;
}

void HeadBudget::Share::shrink(size_t bytes) {
  if (bytes >= bytes_) return;
  const size_t returned = std::exchange(bytes_, bytes) - bytes;
  budget_->used_.fetch_sub(returned, std::memory_order_relaxed);
  account_->used.fetch_sub(returned, std::memory_order_relaxed);
}

}  // namespace proa::http
