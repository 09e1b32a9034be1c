// Makes the other forms of the verbs from the lists of HOLDFAST_VERBS (holdfast/broker.h): the overrides of
// an engine and a client, and a client's calls. Users do not include this header.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace holdfast::detail {

// FormOf has the function that makes the call of a verb on an object of Used. A Broker has the verb itself.
// ClientVerbs has a form of each verb (holdfast/client_verbs.h).
template <class Used, auto verb>
struct FormOf {
  static constexpr auto kFunction = verb;
};

template <class Member>
struct VerbSignature;
template <class R, class C, class... P>
struct VerbSignature<R (C::*)(P...)> {
  using Answer = R;
  template <std::size_t n>
  using Parameter = std::tuple_element_t<n, std::tuple<P...>>;
};

template <auto verb>
using VerbAnswer = typename VerbSignature<decltype(verb)>::Answer;
template <auto verb, std::size_t n>
using VerbParameter = typename VerbSignature<decltype(verb)>::template Parameter<n>;

}  // namespace holdfast::detail

#define HOLDFAST_PARAMETER(verb, n) ::holdfast::detail::VerbParameter<&::holdfast::Broker::verb, n>

// HOLDFAST_DECLARED_T_D has the parameters of a verb that takes T, in a declaration. The last D have a
// default, which is an empty value, as in Broker.
#define HOLDFAST_DECLARED_0_0(verb) ()
#define HOLDFAST_DECLARED_1_0(verb) (HOLDFAST_PARAMETER(verb, 0))
#define HOLDFAST_DECLARED_1_1(verb) (HOLDFAST_PARAMETER(verb, 0) = {})
#define HOLDFAST_DECLARED_2_0(verb) (HOLDFAST_PARAMETER(verb, 0), HOLDFAST_PARAMETER(verb, 1))
#define HOLDFAST_DECLARED_2_1(verb) (HOLDFAST_PARAMETER(verb, 0), HOLDFAST_PARAMETER(verb, 1) = {})
#define HOLDFAST_DECLARED_3_0(verb) \
  (HOLDFAST_PARAMETER(verb, 0), HOLDFAST_PARAMETER(verb, 1), HOLDFAST_PARAMETER(verb, 2))
#define HOLDFAST_DECLARED_3_2(verb) \
  (HOLDFAST_PARAMETER(verb, 0), HOLDFAST_PARAMETER(verb, 1) = {}, HOLDFAST_PARAMETER(verb, 2) = {})
#define HOLDFAST_DECLARED_3_1(verb) \
  (HOLDFAST_PARAMETER(verb, 0), HOLDFAST_PARAMETER(verb, 1), HOLDFAST_PARAMETER(verb, 2) = {})

// HOLDFAST_DEFINED_T has the same parameters with names, in a definition. HOLDFAST_PASSED_T has what such a
// definition hands on.
#define HOLDFAST_DEFINED_0(verb) ()
#define HOLDFAST_DEFINED_1(verb) (HOLDFAST_PARAMETER(verb, 0) first)
#define HOLDFAST_DEFINED_2(verb) (HOLDFAST_PARAMETER(verb, 0) first, HOLDFAST_PARAMETER(verb, 1) second)
#define HOLDFAST_DEFINED_3(verb) \
  (HOLDFAST_PARAMETER(verb, 0) first, HOLDFAST_PARAMETER(verb, 1) second, HOLDFAST_PARAMETER(verb, 2) third)
#define HOLDFAST_PASSED(verb, n, parameter) std::forward<HOLDFAST_PARAMETER(verb, n)>(parameter)
#define HOLDFAST_PASSED_0(verb) ()
#define HOLDFAST_PASSED_1(verb) (HOLDFAST_PASSED(verb, 0, first))
#define HOLDFAST_PASSED_2(verb) (HOLDFAST_PASSED(verb, 0, first), HOLDFAST_PASSED(verb, 1, second))
#define HOLDFAST_PASSED_3(verb) \
  (HOLDFAST_PASSED(verb, 0, first), HOLDFAST_PASSED(verb, 1, second), HOLDFAST_PASSED(verb, 2, third))

// HOLDFAST_OVERRIDE declares an override, in a class that is a Broker.
#define HOLDFAST_OVERRIDE(verb, takes, defaults)                                                         \
  ::holdfast::detail::VerbAnswer<&::holdfast::Broker::verb> verb HOLDFAST_DECLARED_##takes##_##defaults( \
      verb) override;
