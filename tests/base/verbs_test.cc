// HOLDFAST_VERBS says of each verb how many parameters may be left out. It has to agree with Broker's
// declaration, since an engine and a client are called by what the list says.
#include <type_traits>
#include <utility>

#include "holdfast/broker.h"
#include "holdfast/detail/verbs.h"

namespace holdfast {
namespace {

template <auto verb, class Call, std::size_t... n>
constexpr bool takes_first(std::index_sequence<n...> /*these*/) {
  return std::is_invocable_v<Call, Broker&, detail::VerbParameter<verb, n>...>;
}

// Returns whether `least` arguments are enough, and fewer are not.
template <auto verb, std::size_t least, class Call>
constexpr bool needs(Call /*call*/) {
  if constexpr (least > 0) {
    if (takes_first<verb, Call>(std::make_index_sequence<least - 1>())) return false;
  }
  return takes_first<verb, Call>(std::make_index_sequence<least>());
}

#define HOLDFAST_NEEDS(verb, takes, defaults)                                                             \
  static_assert(                                                                                          \
      needs<&Broker::verb, (takes) - (defaults)>([](Broker & broker, auto&&... given) requires requires { \
        broker.verb(std::forward<decltype(given)>(given)...);                                             \
      } {}),                                                                                              \
      "the list and the declaration differ in the defaults of " #verb);
HOLDFAST_VERBS(HOLDFAST_NEEDS)
#undef HOLDFAST_NEEDS

}  // namespace
}  // namespace holdfast
