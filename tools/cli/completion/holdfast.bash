# bash completion for holdfast. The command itself knows what may come next.

# Sets `words` and `cur` to what was typed up to the cursor. bash cuts words at each colon, which host:port has.
_holdfast_words() {
  local i word rest=$COMP_LINE last=-1
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 0)) && [[ $rest != [[:blank:]]* && ($word == :* || ${words[last]} == *:) ]]; then
      words[last]+=$word
    else
      words[++last]=$word
    fi
    rest=${rest#"${rest%%[![:blank:]]*}"}
    rest=${rest#"$word"}
  done
  cur=${words[last]}
}

_holdfast() {
  local cur line cut= words
  _holdfast_words
  [[ $cur == '=' ]] && cur=
  # What stands before the last colon is no part of the word that bash replaces.
  [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] && cut=${cur%"${cur##*:}"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("${line#"$cut"}"); done < <(compgen -f -- "$cur")
    else
      line=${line%%$'\t'*}
      COMPREPLY+=("${line#"$cut"}")
    fi
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _holdfast holdfast
