// A calendar beside the days that may be typed as well.
const make = (tag, values) => Object.assign(document.createElement(tag), values);

export function offer(form, say) {
  for (const typed of form.querySelectorAll('[data-day]')) {
    const open = make('button', {
      type: 'button',
      className: 'btn calendar',
      textContent: say('calendar'),
      disabled: typed.disabled,
    });
    typed.closest('.f').querySelector('.notes').prepend(open);
    open.addEventListener('click', () => {
      const { read, earliest, latest } = typed.dataset,
        day = make('input', { type: 'date', className: 'vh', tabIndex: -1, min: earliest, max: latest, value: read });
      open.after(day);
      day.addEventListener('change', () => {
        typed.value = new Intl.DateTimeFormat(form.dataset.lang + '-u-ca-gregory-nu-latn', {
          dateStyle: 'long',
          timeZone: 'UTC',
        }).format(day.valueAsDate);
        day.remove();
        for (const type of ['input', 'change']) typed.dispatchEvent(new Event(type, { bubbles: true }));
        typed.focus();
      });
      day.addEventListener('blur', () => day.remove());
      day.showPicker();
    });
  }
}
